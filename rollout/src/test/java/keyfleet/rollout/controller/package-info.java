@NullMarked
package keyfleet.rollout.controller;

import org.jspecify.annotations.NullMarked;
