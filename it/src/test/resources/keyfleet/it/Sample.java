package keyfleet;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Every kind of call that the launcher's build makes plain, and some that it leaves alone. */
class Sample {
  enum Kind {
    ONE,
    TWO
  }

  sealed interface Shape {
    static String name(Shape shape) {
      return switch (shape) {
        case null -> "none";
        case Few(int i, String _) when i > 1 -> "few with more than one";
        case Few(int _, String _) -> "few";
        case Many many when many.l() == 0 -> "empty";
        case Many _ -> "many";
      };
    }
  }

  record Few(int i, String s) implements Shape {}

  record Many(
      boolean z, byte b, char c, short h, int i, long l, float f, double d, Object o, Kind k)
      implements Shape {}

  static int number(Kind kind) {
    return switch (kind) {
      case null -> -1;
      case ONE -> 1;
      case TWO -> 2;
    };
  }

  static String guarded(Object object) {
    return switch (object) {
      case Kind kind when kind == Kind.ONE -> "one";
      case String text -> text;
      case Integer i when i > 3 -> "big";
      default -> "other";
    };
  }

  /** With a constant among its labels: stays as it is. */
  static String mixed(Object object) {
    return switch (object) {
      case Kind.ONE -> "one";
      case Integer _ -> "number";
      default -> "other";
    };
  }

  static List<Shape> shapes() {
    List<Shape> all = new ArrayList<>();
    all.add(null);
    for (int i = 0; i < 3; i++) {
      for (String s : new String[] {null, "s", new String("s")}) {
        all.add(new Few(i, s));
      }
    }
    double otherNan = Double.longBitsToDouble(0x7ff8000000000001L);
    for (double d : new double[] {0.0, -0.0, Double.NaN, otherNan, 1.5}) {
      all.add(new Many(d > 0, (byte) d, (char) 40000, (short) -3, -1, 1L << 40, (float) d, d, "o", null));
      all.add(new Many(false, (byte) 0, 'c', (short) 0, 0, 0, -0f, d, null, null));
    }
    return all;
  }

  public static void main(String... args) {
    for (Shape one : shapes()) {
      System.out.println(Shape.name(one) + " " + Objects.hashCode(one) + " " + one);
      for (Shape other : shapes()) {
        System.out.print(one != null && one.equals(other) ? "=" : ".");
      }
      System.out.println(one != null && one.equals("s"));
    }
    for (Kind kind : new Kind[] {null, Kind.ONE, Kind.TWO}) {
      System.out.println(number(kind));
    }
    for (Object object : new Object[] {Kind.ONE, Kind.TWO, "s", 1, 7, 2.5}) {
      System.out.println(guarded(object) + " " + mixed(object));
    }
  }
}
