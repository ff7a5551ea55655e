/// Tests of the server: on a SQLite file, with its own threads and the machine's time.
@NullMarked
package keyfleet.server;

import org.jspecify.annotations.NullMarked;
