/** Real member processes on this machine: started, disturbed, and their history checked. */
@NullMarked
package io.baton.cli.live;

import org.jspecify.annotations.NullMarked;
