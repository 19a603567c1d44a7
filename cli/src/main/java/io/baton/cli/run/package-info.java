/**
 * The papers' world for real: one process per node, TCP between them, and a parent that starts
 * them, lets users come, kills where it is told to, and measures.
 */
@NullMarked
package io.baton.cli.run;

import org.jspecify.annotations.NullMarked;
