package keyfleet.store;

/// No answer in time: the change may have been made, or may yet be made by a message still on its
/// way.
public record Unknown() implements Write, Deletion, RecordWrite, Fencing {}
