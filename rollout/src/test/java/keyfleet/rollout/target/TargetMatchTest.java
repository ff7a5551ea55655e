package keyfleet.rollout.target;

import static keyfleet.rollout.RolloutFixtures.facts;
import static keyfleet.rollout.RolloutFixtures.node;
import static keyfleet.rollout.RolloutFixtures.target;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TargetMatchTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '"',
      textBlock =
          """
          *                    ! web1.eu/a ! YES
          web*                 ! web1.eu/a ! YES
          web*                 ! aweb1     ! NO
          web                  ! web1      ! NO
          WEB*                 ! web1      ! NO
          web?                 ! web1      ! YES
          web?                 ! web10     ! NO
          web[12]              ! web2      ! YES
          web[12]              ! web3      ! NO
          "web[!12]"           ! web3      ! YES
          "web[!12]"           ! web1      ! NO
          web[0-3]             ! web2      ! YES
          web[a-]              ! web-      ! YES
          *a*b                 ! xaxbxb    ! YES
          *a*b                 ! xaxbx     ! NO
          **                   ! x         ! YES
          E@web1               ! web1      ! YES
          E@web1               ! web10     ! NO
          E@eb1                ! web1      ! NO
          E@web(1|2)           ! web2      ! YES
          E@a|web1             ! web1      ! YES
          E@^web1$             ! web1      ! YES
          L@a,web1             ! web1      ! YES
          L@a,web1             ! Web1      ! NO
          web* and not *1      ! web1      ! NO
          web* and not *1      ! web2      ! YES
          a or b or web1       ! web1      ! YES
          """)
  void id_isMatchedAsAWhole(String text, String id, TargetMatch expected) {
    assertEquals(expected, target(text).matches(node(id), Facts.NONE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '"',
      textBlock =
          """
          G@os:linux               ! os=Linux               ! YES
          G@os:LIN*                ! os=linux               ! YES
          G@os:linux               ! OS=linux               ! UNKNOWN
          G@os:bsd                 ! os=Linux               ! NO
          G@role:db                ! role=web,DB            ! YES
          G@os:family:deb*         ! os.family=Debian       ! YES
          G@os.family:deb*         ! os.family=Debian       ! YES
          G@os:family:deb*         ! os.name=x              ! UNKNOWN
          G@mac:aa:bb              ! mac=AA:BB              ! YES
          G@mac:aa:b*              ! mac=cc:bb              ! NO
          G@a:b:c                  ! a=b:c; a.b=d           ! NO
          G@ip6:fe80::1            ! ip6=fe80::1            ! YES
          G@os:*                   ! os=Linux               ! YES
          G@os:*                   ! os.family=Debian       ! YES
          G@os:*                   ! osx=1                  ! UNKNOWN
          G@gpu:*                  ! gpu=                   ! NO
          not G@gpu:*              ! gpu=                   ! YES
          G@gpu:*                  ! os=Linux               ! UNKNOWN
          not G@gpu:*              ! os=Linux               ! UNKNOWN
          not G@os:bsd             ! os=Linux               ! YES
          not not G@x:1            ! ""                     ! UNKNOWN
          G@x:1 and web*           ! ""                     ! UNKNOWN
          G@x:1 and db*            ! ""                     ! NO
          G@x:1 or web*            ! ""                     ! YES
          G@x:1 or db*             ! ""                     ! UNKNOWN
          not (G@x:1 or db*)       ! ""                     ! UNKNOWN
          G@x:[A-C]                ! x=b                    ! YES
          """)
  void unknownFact_isNeverRounded(String text, String facts, TargetMatch expected) {
    assertEquals(expected, target(text).matches(node("web1"), facts(facts)));
  }
}
