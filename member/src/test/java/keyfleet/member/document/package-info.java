@NullMarked
package keyfleet.member.document;

import org.jspecify.annotations.NullMarked;
