@NullMarked
package keyfleet.member.heartbeat;

import org.jspecify.annotations.NullMarked;
