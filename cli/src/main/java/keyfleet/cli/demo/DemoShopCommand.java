package keyfleet.cli.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.KekProviderSet;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.process.ShutdownSignal;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.member.Member;
import keyfleet.member.MemberException;
import keyfleet.member.PlainFields;
import keyfleet.member.ProcessSettings;
import keyfleet.member.SealedRecords;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.store.CollectionShape;
import keyfleet.store.Document;
import keyfleet.store.RecordId;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `demo-shop`: the application of the demonstration. It writes and reads orders with a sealed card
/// number until it is stopped, and then reports whether each read was right.
public record DemoShopCommand(CommandContext context) implements Command {
  private static final String CARD = "card";
  private static final CollectionShape ORDERS =
      new CollectionShape("orders", "id", new TreeSet<>(List.of(CARD)));
  private static final String ORDER_COUNT = "--orders";
  private static final String CHECK = "--check";
  private static final int PAGE = 500;

  @Override
  public CommandOptions options() {
    CommandOptions options = CommandOptions.of(this).flag(CHECK, "");
    options.spec().usageMessage().hidden(true);
    options
        .spec()
        .addOption(OptionSpec.builder(ORDER_COUNT).type(int.class).defaultValue("2000").build());
    return options;
  }

  @Override
  public int run(ParseResult parsed) {
    ProviderContext runtime = context.runtime().get();
    try (ShutdownSignal shutdown = ShutdownSignal.install();
        StoreConnections storeConnections = StoreOptions.open(parsed, context);
        KekProviderSet providers = KekProviderSet.open(parsed, KeyringName.MAIN, runtime)) {
      storeConnections.recordsEngine().createCollection(ORDERS);
      var builder =
          Member.builder(storeConnections.kv(), KeyringName.MAIN)
              .settings(
                  ProcessSettings.of(
                      runtime.environment(), context.operator().get().localProcess()))
              .role("shop")
              .collection(
                  storeConnections.recordsEngineName(), storeConnections.recordsEngine(), ORDERS);
      providers.all().forEach(builder::provider);
      try (Member member = builder.join()) {
        SealedRecords orders = member.records(ORDERS.name());
        Document result =
            parsed.matchedOptionValue(CHECK, false)
                ? checkAll(orders, storeConnections.recordsEngine().records(ORDERS))
                : new Workload(orders, runtime.random(), parsed.matchedOptionValue(ORDER_COUNT, 0))
                    .runUntil(shutdown, runtime);
        context.console().out().println(result.toValue().text());
        context.console().out().flush();
      }
    }
    return ExitCode.OK;
  }

  /// Opens every stored order.
  private static Document checkAll(SealedRecords orders, Records records) {
    long found = 0;
    long opened = 0;
    for (KekVersion version : records.census().belonging().keySet()) {
      List<StoredRecord> page = records.scan(version, PAGE);
      while (!page.isEmpty()) {
        found += page.size();
        opened += page.stream().filter(it -> canOpen(orders, it)).count();
        page = records.scan(version, page.getLast().id(), PAGE);
      }
    }
    return Document.builder().number("orders", found).number("opened", opened).build();
  }

  private static boolean canOpen(SealedRecords orders, StoredRecord order) {
    try (PlainFields _ = orders.cipher().open(order)) {
      return true;
    } catch (MemberException e) {
      return false;
    }
  }

  /// Writes and reads orders. No other process writes to this collection, so the workload knows
  /// what each read must return.
  private static final class Workload {
    private static final Duration PAUSE = Duration.ofMillis(1);

    private final SealedRecords orders;
    private final RandomGenerator random;
    private final Map<String, String> cards = new LinkedHashMap<>();
    private final List<String> ids = new ArrayList<>();
    private long reads;
    private long writes;
    private long faults;
    private String firstFault = "";

    Workload(SealedRecords orders, RandomGenerator random, int count) {
      this.orders = orders;
      this.random = random;
      for (int i = 0; i < count; i++) {
        placeOrder();
      }
    }

    Document runUntil(ShutdownSignal shutdown, ProviderContext runtime) {
      while (!shutdown.isReceived()) {
        runOneOperation();
        runtime.ticker().pause(PAUSE);
      }
      return Document.builder()
          .number("orders", ids.size())
          .number("reads", reads)
          .number("writes", writes)
          .number("wrong", faults)
          .text("first_fault", firstFault)
          .build();
    }

    private void runOneOperation() {
      int roll = random.nextInt(20);
      if (roll == 0) {
        placeOrder();
      } else if (roll < 6) {
        changeCard(ids.get(random.nextInt(ids.size())));
      } else {
        readOrder(ids.get(random.nextInt(ids.size())));
      }
    }

    private void placeOrder() {
      String id = new RecordId("o-" + ids.size()).value();
      String card = newCard(id);
      if (write(() -> orders.insert(id, PlainFields.ofTexts(Map.of(CARD, card))))) {
        ids.add(id);
        cards.put(id, card);
      }
    }

    private void changeCard(String id) {
      String card = newCard(id);
      if (write(() -> orders.update(id, PlainFields.ofTexts(Map.of(CARD, card))))) {
        cards.put(id, card);
      }
    }

    private boolean write(BooleanSupplier write) {
      writes++;
      try {
        return write.getAsBoolean() || recordFault("a write conflicted with another record");
      } catch (MemberException e) {
        return recordFault(e.getMessage());
      }
    }

    private void readOrder(String id) {
      reads++;
      try (PlainFields found = orders.find(id).orElse(PlainFields.ofTexts(Map.of(CARD, "none")))) {
        if (!found.text(CARD).equals(cards.get(id))) {
          recordFault(id + " does not have the card that was written");
        }
      } catch (MemberException e) {
        recordFault(e.getMessage());
      }
    }

    /// Returns false, for the caller to return.
    private boolean recordFault(String text) {
      faults++;
      firstFault = firstFault.isEmpty() ? text : firstFault;
      return false;
    }

    private String newCard(String id) {
      return id + " paid with " + random.nextLong();
    }
  }
}
