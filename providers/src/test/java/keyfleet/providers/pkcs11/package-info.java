@NullMarked
package keyfleet.providers.pkcs11;

import org.jspecify.annotations.NullMarked;
