@NullMarked
package keyfleet.providers.file;

import org.jspecify.annotations.NullMarked;
