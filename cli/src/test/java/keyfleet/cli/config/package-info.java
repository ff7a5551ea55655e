@NullMarked
package keyfleet.cli.config;

import org.jspecify.annotations.NullMarked;
