/// Tests of the server on a SQLite file, with real threads and the machine's clock.
@NullMarked
package keyfleet.server;

import org.jspecify.annotations.NullMarked;
