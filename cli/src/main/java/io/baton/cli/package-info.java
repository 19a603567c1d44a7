/** The command line. */
@NullMarked
package io.baton.cli;

import org.jspecify.annotations.NullMarked;
