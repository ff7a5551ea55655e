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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `demo-shop`: the application of the demonstration. It keeps orders with a sealed card, writes
/// and reads them without a pause, and says at its end whether each read was right.
public final class DemoShopCommand implements Command {
  private static final String CARD = "card";
  private static final CollectionShape ORDERS =
      new CollectionShape("orders", "id", new TreeSet<>(List.of(CARD)));
  private static final String COUNT = "--orders";
  private static final String CHECK = "--check";
  private static final int PAGE = 500;

  private final CommandContext office;

  public DemoShopCommand(CommandContext office) {
    this.office = office;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    spec.usageMessage().hidden(true);
    return spec.addOption(OptionSpec.builder(COUNT).type(int.class).defaultValue("2000").build())
        .addOption(OptionSpec.builder(CHECK).type(boolean.class).build());
  }

  @Override
  public int run(ParseResult parsed) {
    ProviderContext around = office.around().get();
    try (ShutdownSignal life = ShutdownSignal.begin();
        StoreConnections stores = StoreOptions.open(parsed, office);
        KekProviderSet providers = KekProviderSet.open(parsed, KeyringName.MAIN, around)) {
      stores.records().createCollection(ORDERS);
      var builder =
          Member.builder(stores.kv(), KeyringName.MAIN)
              .settings(
                  ProcessSettings.of(around.environment(), office.operator().get().localProcess()))
              .role("shop")
              .collection(stores.recordsEngine(), stores.records(), ORDERS);
      providers.all().forEach(builder::provider);
      try (Member member = builder.join()) {
        SealedRecords orders = member.records(ORDERS.name());
        Document said =
            parsed.matchedOptionValue(CHECK, false)
                ? checked(orders, stores.records().records(ORDERS))
                : new Workload(orders, around.random(), parsed.matchedOptionValue(COUNT, 0))
                    .until(life, around);
        office.console().out().println(said.toValue().text());
        office.console().out().flush();
      }
    }
    return ExitCode.OK;
  }

  /// Opens every order that there is.
  private static Document checked(SealedRecords orders, Records records) {
    long found = 0;
    long opened = 0;
    for (KekVersion version : records.census().belonging().keySet()) {
      List<StoredRecord> page = records.scan(version, PAGE);
      while (!page.isEmpty()) {
        found += page.size();
        opened += page.stream().filter(it -> opens(orders, it)).count();
        page = records.scan(version, page.getLast().id(), PAGE);
      }
    }
    return Document.builder().number("orders", found).number("opened", opened).build();
  }

  private static boolean opens(SealedRecords orders, StoredRecord order) {
    try (PlainFields _ = orders.cipher().open(order)) {
      return true;
    } catch (MemberException e) {
      return false;
    }
  }

  /// What the shop does all day. It is alone in its collection, so it knows what it must find.
  private static final class Workload {
    private static final Duration BREATH = Duration.ofMillis(1);

    private final SealedRecords orders;
    private final RandomGenerator dice;
    private final Map<String, String> cards = new LinkedHashMap<>();
    private final List<String> ids = new ArrayList<>();
    private long reads;
    private long writes;
    private long wrong;
    private String firstFault = "";

    Workload(SealedRecords orders, RandomGenerator dice, int count) {
      this.orders = orders;
      this.dice = dice;
      for (int i = 0; i < count; i++) {
        order();
      }
    }

    Document until(ShutdownSignal life, ProviderContext around) {
      while (!life.isOver()) {
        act();
        around.ticker().pause(BREATH);
      }
      return Document.builder()
          .number("orders", ids.size())
          .number("reads", reads)
          .number("writes", writes)
          .number("wrong", wrong)
          .text("first_fault", firstFault)
          .build();
    }

    private void act() {
      int face = dice.nextInt(20);
      if (face == 0) {
        order();
      } else if (face < 6) {
        change(ids.get(dice.nextInt(ids.size())));
      } else {
        read(ids.get(dice.nextInt(ids.size())));
      }
    }

    private void order() {
      String id = new RecordId("o-" + ids.size()).value();
      String card = card(id);
      if (kept(() -> orders.insert(id, PlainFields.ofTexts(Map.of(CARD, card))))) {
        ids.add(id);
        cards.put(id, card);
      }
    }

    private void change(String id) {
      String card = card(id);
      if (kept(() -> orders.update(id, PlainFields.ofTexts(Map.of(CARD, card))))) {
        cards.put(id, card);
      }
    }

    private boolean kept(BooleanSupplier write) {
      writes++;
      try {
        return write.getAsBoolean() || fault("a write found another record");
      } catch (MemberException e) {
        return fault(e.getMessage());
      }
    }

    private void read(String id) {
      reads++;
      try (PlainFields found = orders.find(id).orElse(PlainFields.ofTexts(Map.of(CARD, "none")))) {
        if (!found.text(CARD).equals(cards.get(id))) {
          fault(id + " is not what was written");
        }
      } catch (MemberException e) {
        fault(e.getMessage());
      }
    }

    private boolean fault(String words) {
      wrong++;
      firstFault = firstFault.isEmpty() ? words : firstFault;
      return false;
    }

    private String card(String id) {
      return id + " paid with " + dice.nextLong();
    }
  }
}
