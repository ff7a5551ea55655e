@NullMarked
package keyfleet.member.keys;

import org.jspecify.annotations.NullMarked;
