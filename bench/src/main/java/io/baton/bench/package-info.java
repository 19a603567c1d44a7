/** How fast Baton is, as ratios to what the machine itself can do in the same run. */
@NullMarked
package io.baton.bench;

import org.jspecify.annotations.NullMarked;
