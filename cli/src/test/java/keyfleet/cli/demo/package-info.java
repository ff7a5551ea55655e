@NullMarked
package keyfleet.cli.demo;

import org.jspecify.annotations.NullMarked;
