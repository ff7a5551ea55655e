import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Replaces dynamic call sites with ordinary methods: switches over types, and a record's `equals`
/// and `hashCode`. An AOT cache of JDK 25 keeps the links of lambdas and string concatenations, but
/// not these, and each costs a command milliseconds at every start.
final class PlainCalls {
  private static final ClassDesc SWITCHES = ClassDesc.of("java.lang.runtime.SwitchBootstraps");
  private static final ClassDesc RECORDS = ClassDesc.of("java.lang.runtime.ObjectMethods");
  private static final ClassDesc OBJECTS = ClassDesc.of("java.util.Objects");

  private static final int HIDDEN =
      ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC | ClassFile.ACC_SYNTHETIC;

  private record PlainMethod(String name, MethodTypeDesc type, Consumer<CodeBuilder> body) {}

  private final ClassDesc owner;
  private final boolean isInterface;
  private final List<PlainMethod> methods = new ArrayList<>();

  private PlainCalls(ClassModel model) {
    owner = model.thisClass().asSymbol();
    isInterface = model.flags().has(AccessFlag.INTERFACE);
  }

  static ClassTransform of(ClassModel model) {
    PlainCalls calls = new PlainCalls(model);
    return ClassTransform.transformingMethodBodies(calls::replace)
        .andThen(ClassTransform.endHandler(calls::addMethods));
  }

  private void addMethods(ClassBuilder type) {
    methods.forEach(it -> type.withMethodBody(it.name(), it.type(), HIDDEN, it.body()));
  }

  private void replace(CodeBuilder code, CodeElement element) {
    Optional<Consumer<CodeBuilder>> body =
        element instanceof InvokeDynamicInstruction site ? body(site) : Optional.empty();
    if (body.isPresent() && element instanceof InvokeDynamicInstruction site) {
      String name = "plain$" + methods.size() + "$" + site.name();
      methods.add(new PlainMethod(name, site.typeSymbol(), body.get()));
      code.invokestatic(owner, name, site.typeSymbol(), isInterface);
    } else {
      code.with(element);
    }
  }

  /// Empty for a call that stays as it is.
  private Optional<Consumer<CodeBuilder>> body(InvokeDynamicInstruction site) {
    DirectMethodHandleDesc bootstrap = site.bootstrapMethod();
    List<ConstantDesc> arguments = site.bootstrapArgs();
    if (bootstrap.owner().equals(SWITCHES)) {
      boolean isOfEnum = bootstrap.methodName().equals("enumSwitch");
      return arguments.stream().allMatch(it -> it instanceof ClassDesc || isOfEnum)
          ? Optional.of(code -> writeSwitch(code, site.typeSymbol().parameterType(0), arguments))
          : Optional.empty();
    }
    if (!bootstrap.owner().equals(RECORDS)) {
      return Optional.empty();
    }
    List<DirectMethodHandleDesc> getters =
        arguments.stream().skip(2).map(DirectMethodHandleDesc.class::cast).toList();
    return switch (site.name().stringValue()) {
      case "equals" -> Optional.of(code -> writeEquals(code, getters));
      case "hashCode" -> Optional.of(code -> writeHashCode(code, getters));
      default -> Optional.empty(); // toString is rarely called at a start
    };
  }

  /// `int (T value, int from)`: the first label from `from` on that matches the value. A label is a
  /// type or the name of an enum constant.
  private static void writeSwitch(CodeBuilder code, ClassDesc type, List<ConstantDesc> labels) {
    code.aload(0).ifThen(Opcode.IFNULL, isNull -> isNull.iconst_m1().ireturn());
    for (int i = 0; i < labels.size(); i++) {
      Label next = code.newLabel();
      code.iload(1).loadConstant(i).if_icmpgt(next).aload(0);
      if (labels.get(i) instanceof ClassDesc of) {
        code.instanceOf(of).ifeq(next);
      } else {
        code.getstatic(type, (String) labels.get(i), type).if_acmpne(next);
      }
      code.loadConstant(i).ireturn().labelBinding(next);
    }
    code.loadConstant(labels.size()).ireturn();
  }

  /// `boolean (R one, Object other)`.
  private void writeEquals(CodeBuilder code, List<DirectMethodHandleDesc> getters) {
    Label differ = code.newLabel();
    code.aload(1).instanceOf(owner).ifeq(differ);
    code.aload(1).checkcast(owner).astore(2);
    for (DirectMethodHandleDesc getter : getters) {
      ClassDesc type = type(getter);
      code.aload(0).getfield(owner, getter.methodName(), type);
      code.aload(2).getfield(owner, getter.methodName(), type);
      if (type.isPrimitive()) {
        code.invokestatic(wrapper(type), "compare", MethodTypeDesc.of(CD_int, type, type));
        code.ifne(differ);
      } else {
        code.invokestatic(OBJECTS, "equals", MethodTypeDesc.of(CD_boolean, CD_Object, CD_Object));
        code.ifeq(differ);
      }
    }
    code.iconst_1().ireturn();
    code.labelBinding(differ).iconst_0().ireturn();
  }

  /// `int (R one)`.
  private void writeHashCode(CodeBuilder code, List<DirectMethodHandleDesc> getters) {
    code.iconst_0();
    for (DirectMethodHandleDesc getter : getters) {
      ClassDesc type = type(getter);
      ClassDesc by = type.isPrimitive() ? wrapper(type) : OBJECTS;
      ClassDesc of = type.isPrimitive() ? type : CD_Object;
      code.bipush(31).imul();
      code.aload(0).getfield(owner, getter.methodName(), type);
      code.invokestatic(by, "hashCode", MethodTypeDesc.of(CD_int, of)).iadd();
    }
    code.ireturn();
  }

  private static ClassDesc type(DirectMethodHandleDesc getter) {
    return getter.invocationType().returnType();
  }

  private static ClassDesc wrapper(ClassDesc primitive) {
    return switch (TypeKind.from(primitive)) {
      case BOOLEAN -> ConstantDescs.CD_Boolean;
      case BYTE -> ConstantDescs.CD_Byte;
      case CHAR -> ConstantDescs.CD_Character;
      case SHORT -> ConstantDescs.CD_Short;
      case INT -> ConstantDescs.CD_Integer;
      case LONG -> ConstantDescs.CD_Long;
      case FLOAT -> ConstantDescs.CD_Float;
      case DOUBLE -> ConstantDescs.CD_Double;
      case REFERENCE, VOID -> throw new IllegalArgumentException(primitive.displayName());
    };
  }
}
