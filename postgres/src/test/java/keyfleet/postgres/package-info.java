/// Tests of the PostgreSQL engine: the contract suite of `store`, and more, on real servers.
///
/// Start reading at: [PostgresTestServer] (the server), [CustomersTable] (a fenced table).
@NullMarked
package keyfleet.postgres;

import org.jspecify.annotations.NullMarked;
