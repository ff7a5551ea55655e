package keyfleet.it;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import keyfleet.store.FenceContract;
import keyfleet.store.KvContract;
import keyfleet.store.KvRaceContract;
import keyfleet.store.RecordsContract;
import keyfleet.store.engine.EnvelopeScannerContract;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/// The cases of the contract suites, named as in a test report.
final class ContractCases {
  private static final List<Class<?>> CONTRACTS =
      List.of(
          KvContract.class,
          KvRaceContract.class,
          RecordsContract.class,
          FenceContract.class,
          EnvelopeScannerContract.class);

  static final List<String> SUITES = CONTRACTS.stream().map(ContractCases::suite).toList();

  private ContractCases() {}

  /// The cases that ran and passed according to a report, each with its suite in front.
  static Set<String> passedCases(Path report) throws IOException {
    Set<String> passed = new TreeSet<>();
    NodeList cases = parse(report).getElementsByTagName("testcase");
    for (int i = 0; i < cases.getLength(); i++) {
      Element one = (Element) cases.item(i);
      boolean clean =
          Stream.of("skipped", "failure", "error")
              .allMatch(it -> one.getElementsByTagName(it).getLength() == 0);
      if (clean) {
        caseName(one.getAttribute("name")).ifPresent(passed::add);
      }
    }
    return passed;
  }

  private static Optional<String> caseName(String testcase) {
    String name = testcase.replaceFirst("\\(.*", "");
    return CONTRACTS.stream()
        .filter(contract -> cases(contract).anyMatch(name::equals))
        .map(contract -> suite(contract) + " " + name)
        .findFirst();
  }

  private static Stream<String> cases(Class<?> contract) {
    return Arrays.stream(contract.getMethods())
        .filter(it -> it.isAnnotationPresent(Test.class))
        .map(it -> it.getName());
  }

  private static String suite(Class<?> contract) {
    return contract.getSimpleName().replace("Contract", "");
  }

  private static Element parse(Path report) throws IOException {
    try {
      return DocumentBuilderFactory.newDefaultInstance()
          .newDocumentBuilder()
          .parse(report.toFile())
          .getDocumentElement();
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException("not a test report: " + report, e);
    }
  }
}
