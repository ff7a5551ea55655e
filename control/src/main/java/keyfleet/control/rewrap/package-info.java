/// Rewraps the records of a keyring's collections in batches.
///
/// Start reading at: [RewrapPass] (one pass through the records), [RecordRewrapper] (new fields for
/// one record), [CollectionSet] (the collections of a keyring and their fences).
///
/// A pass scans a batch, rewraps its fields and writes it with compare-and-set. A [BatchExecutor]
/// may scan and rewrap the next batches while one is written; only the driver's own thread writes.
/// A pass exists only in the memory of its driver. The next driver starts again; records that are
/// already rewrapped need no work.
@NullMarked
package keyfleet.control.rewrap;

import org.jspecify.annotations.NullMarked;
