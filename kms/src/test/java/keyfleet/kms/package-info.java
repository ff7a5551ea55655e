/// Tests of the plugin: its decisions on a [KmsPluginFixture] with a clock that the test moves, its
/// socket with a real client.
@NullMarked
package keyfleet.kms;

import org.jspecify.annotations.NullMarked;
