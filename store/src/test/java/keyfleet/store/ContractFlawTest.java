package keyfleet.store;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests the contract suites: the contract test that is meant for a flaw catches it.
class ContractFlawTest {
  private record FlawedKvContract(KvFlaw flaw) implements KvContract, KvRaceContract {
    @Override
    public KvFixture fixture() {
      return KvFixture.ofFake(flaw::applyTo);
    }

    /// Short, because a flaw may be that no hint comes.
    @Override
    public Duration hintLimit() {
      return Duration.ofMillis(200);
    }
  }

  private record FlawedRecordsContract(RecordsFlaw flaw) implements RecordsContract, FenceContract {
    @Override
    public RecordsFixture fixture() {
      return RecordsFixture.ofFake(flaw::applyTo);
    }
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          LOSSY,                acknowledgedWrite_isReadAtOnce
          LOSSY,                racedCreate_isWonOnce
          LOSSY,                racedUpdate_isWonOnce
          LOSSY,                racedIncrements_allCount
          LOSSY,                concurrentHistories_areLinearizable
          LOSSY,                historiesWithUnansweredCalls_areLinearizable
          STALE,                acknowledgedWrite_isReadAtOnce
          STALE,                concurrentHistories_areLinearizable
          STALE,                historiesWithUnansweredCalls_areLinearizable
          CHECKED_THEN_WRITTEN, racedCreate_isWonOnce
          CHECKED_THEN_WRITTEN, racedUpdate_isWonOnce
          CHECKED_THEN_WRITTEN, racedIncrements_allCount
          CREATES_CHECKED_THEN_WRITTEN, racedCreate_isWonOnce
          UPDATES_ANY_REVISION, update_needsTheLatestRevision
          UPDATES_ANY_REVISION, updateOfAbsentKey_conflicts
          UPDATES_ANY_REVISION, updateByRevisionOfAnotherKey_conflicts
          UPDATES_ANY_REVISION, unansweredWriteThatArrivesLate_isNotTakenForAnother
          UPDATES_ANY_REVISION, unansweredWriteThatLost_isSuperseded
          UPDATES_ANY_REVISION, concurrentHistories_areLinearizable
          DELETES_ANY_REVISION, delete_needsTheLatestRevision
          DELETES_ANY_REVISION, concurrentHistories_areLinearizable
          CREATES_AT_ONE,       createAfterDelete_hasHigherRevision
          SWEPT_LATE,           unrefreshedEntry_isGoneAfterItsLifetime
          LISTS_BY_TEXT,        list_returnsKeysUnderPrefixInOrder
          LISTS_UNORDERED,      list_returnsKeysUnderPrefixInOrder
          HIDES_LOST_HINTS,     disconnectedWatch_reportsMissedChanges
          WATCHES_DIE_OF_A_WATCHER, throwingWatcher_stopsNoWatch
          CLOCK_GOES_BACK,      storeTime_neverGoesBack
          """)
  void kvFlaw_isCaught(KvFlaw flaw, String check) {
    assertCaught(new FlawedKvContract(flaw), check);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          LOSSY,                    racedCompareAndSet_isWonOnceAndNeverMixed
          STALE,                    compareAndSet_changesAllFields
          STALE,                    racedCompareAndSet_isWonOnceAndNeverMixed
          COMPARES_ONE_FIELD,       compareAndSetWithAnyFieldChanged_changesNone
          COUNTS_BY_HIGHEST,        mixedRecord_belongsToItsLowestVersion
          COUNTS_BY_HIGHEST,        census_equalsFullScan
          SCAN_SKIPS,               scanWithWritesBetweenPages_hasNoGapAndNoRepeat
          SCAN_SKIPS,               scanWhileOthersWrite_hasNoGapAndNoRepeat
          SCAN_SKIPS,               census_equalsFullScan
          SCAN_REPEATS,             scanWithWritesBetweenPages_hasNoGapAndNoRepeat
          SKIPS_EQUAL_FIELDS,       changeToTheSameFields_correctsTheVersionField
          HIDES_MISMATCHES,         wrongVersionField_isCountedAndDecidesNothing
          FINDS_NO_MISMATCHES,      wrongVersionField_isCountedAndDecidesNothing
          FENCE_STOPS_NOTHING,      oldWriterAfterTheFence_isRefused
          FENCE_STOPS_NOTHING,      fieldThatIsNotAnEnvelope_isRefused
          FENCE_STOPS_NOTHING,      fenceRaisedDuringWrites_stopsEveryLaterWrite
          FENCE_DOES_NOT_WAIT,      fenceRaisedDuringWrites_stopsEveryLaterWrite
          FENCE_STOPS_INSERTS_ONLY, oldWriterAfterTheFence_isRefused
          FENCE_STOPS_INSERTS_ONLY, zombieRewrapperToAbortedVersion_isRefused
          FENCE_SPARES_OLD_RECORDS, zombieRewrapperOfAnOldRecord_isRefused
          FENCE_STOPS_OLD_RECORDS,  recordOfTheOldVersion_mayStayThere
          FENCE_STOPS_OLD_RECORDS,  oneFieldUnderTheNewVersion_passesThoughTheRecordStaysOld
          FENCE_YIELDS_TO_ANY,      fenceOfLowerEpoch_isRefused
          FENCE_YIELDS_TO_ANY,      fenceOfAnotherIncarnation_isRefused
          FENCE_YIELDS_TO_HIGHER_INCARNATION, fenceOfAnotherIncarnation_isRefused
          FENCE_REPLACED_UNSEEN,    replaceFence_needsThePresentFence
          FENCE_REPLACED_UNSEEN,    racedReplaceFence_isWonOnce
          FENCE_REPLACED_BY_EPOCH,  replaceFence_needsThePresentFence
          FENCE_REPLACED_BY_TERM,   replacedFence_standsWhateverItsTerm
          REPLACED_FENCE_STOPS_NOTHING, replacedFence_standsWhateverItsTerm
          FENCE_DOES_NOT_WAIT,      fenceReplacedDuringWrites_stopsEveryLaterWrite
          FENCE_NEEDS_A_NEW_TERM,   otherSetOfTheSameTerm_replacesTheEarlier
          """)
  void recordsFlaw_isCaught(RecordsFlaw flaw, String check) {
    assertCaught(new FlawedRecordsContract(flaw), check);
  }

  /// An error other than a failed assertion would mean that the flaw broke the test, not the
  /// contract.
  private static void assertCaught(ContractSuite broken, String check) {
    assertInstanceOf(AssertionError.class, runCheck(broken, check), () -> broken + " " + check);
  }

  private static Object runCheck(ContractSuite contract, String check) {
    Method method =
        Arrays.stream(contract.getClass().getMethods())
            .filter(it -> it.getName().equals(check))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no contract test " + check));
    method.setAccessible(true);
    try (AutoCloseable fixture = contract.fixture()) {
      method.invoke(contract, fixture);
      return "passed";
    } catch (InvocationTargetException e) {
      return e.getTargetException();
    } catch (Exception e) {
      throw new IllegalStateException(contract + " " + check, e);
    }
  }
}
