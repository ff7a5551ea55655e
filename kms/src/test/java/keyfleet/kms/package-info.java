/// Tests of the plugin: its decisions with a [KmsPluginFixture], whose clock the test advances, and
/// its socket with a real client.
@NullMarked
package keyfleet.kms;

import org.jspecify.annotations.NullMarked;
