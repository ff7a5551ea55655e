package keyfleet.keyring;

/// A KMS plugin that was heard before. Its API server keeps storing what the plugin seals, whether
/// or not the plugin reaches the store, so a rotation does not go on without it.
///
/// @param host the control-plane node: a plugin that returns there under another name is the same
/// @param instance the name in its last heartbeat
public record KnownPlugin(String cluster, String host, String instance) {}
