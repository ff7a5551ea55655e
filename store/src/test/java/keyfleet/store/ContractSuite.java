package keyfleet.store;

import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// Contract tests that each get a new fixture as their argument. It is closed when the test ends.
@ExtendWith(ContractSuite.FixtureResolver.class)
public interface ContractSuite {
  /// Creates a fixture around an empty store.
  AutoCloseable fixture();

  /// Passes the fixture to a test and closes it.
  final class FixtureResolver implements ParameterResolver, AfterTestExecutionCallback {
    private static final Namespace NAMESPACE = Namespace.create(FixtureResolver.class);

    /// The tests of a suite are methods of an interface; other tests have arguments of their own.
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getDeclaringExecutable().getDeclaringClass().isInterface();
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      AutoCloseable fixture = ((ContractSuite) context.getRequiredTestInstance()).fixture();
      context.getStore(NAMESPACE).put(AutoCloseable.class, fixture);
      return fixture;
    }

    @Override
    public void afterTestExecution(ExtensionContext context) throws Exception {
      AutoCloseable fixture =
          context.getStore(NAMESPACE).remove(AutoCloseable.class, AutoCloseable.class);
      if (fixture != null) {
        fixture.close();
      }
    }
  }
}
