@NullMarked
package keyfleet.member;

import org.jspecify.annotations.NullMarked;
