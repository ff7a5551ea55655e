/// An opened database and the tools that engines share: its URL, its safety checks, the probe of
/// its compare-and-set, the delivery of hints to watches, and the scan for envelopes that no
/// registration declares.
///
/// Each engine has its own module (`sqlite`, `postgres`, `mongodb`, `nats`) with one implementation
/// of [Engine]. A process chooses it by the scheme of the [StoreUrl]. This package uses
/// `keyfleet.store`, and nothing there uses this package.
///
/// Start reading at: [Engine], [StoreUrl], [CompareAndSetProbe], [EnvelopeScan].
@NullMarked
package keyfleet.store.engine;

import org.jspecify.annotations.NullMarked;
