/** One voter's share in the state on which a cluster agrees: pure, and read beside its model. */
@NullMarked
package io.baton.agreement;

import org.jspecify.annotations.NullMarked;
