/// What a process of the fleet embeds: it says what it has loaded, keeps its write lease, seals and
/// opens. It drives nothing.
@NullMarked
package keyfleet.member;

import org.jspecify.annotations.NullMarked;
