"""Tests of the rules of supervision: python3 -m unittest discover deploy/watch"""

import json
import random
import unittest

import rules
from rules import Limits, Program, Supervision


class House:
    """A supervisord of one or more programs in made-up time: obeys the rules, and ends programs after their lifetime."""

    def __init__(self, lifetimes, limits=Limits(), code=1, seed=7):
        self.supervision = Supervision(limits, random.Random(seed).random)
        self.now, self.pid, self.lifetimes, self.code = 100.0, 10, dict(lifetimes), code
        self.programs, self.ends, self.starts = {}, {}, []
        for name in lifetimes:
            self.start(name)

    def start(self, name):
        self.pid += 1
        self.programs[name] = Program(name, rules.RUNNING, self.pid)
        self.ends[name] = self.now + self.lifetimes[name]
        self.starts.append((self.now, name))

    def look(self):
        actions = self.supervision.observe(self.now, int(self.now * 1000), self.programs.values())
        for action in actions:
            if action.verb == "start":
                self.start(action.name)
        return actions

    def run(self, seconds, step=0.05):
        end = self.now + seconds
        while self.now < end:
            for name, program in self.programs.items():
                if program.state == rules.RUNNING and self.now >= self.ends[name]:
                    self.programs[name] = Program(name, rules.EXITED, 0, self.code)
            self.look()
            self.now += step

    def record(self, name):
        return self.supervision.records[name]


class RestartTests(unittest.TestCase):
    def test_a_crash_loop_is_given_up_after_the_intensity(self):
        house = House({"brain": 0.01})
        house.run(60)
        # The first start and five restarts; the sixth end within 30 s is the last.
        self.assertEqual(len(house.starts), 6)
        self.assertEqual(house.record("brain").wanted, "givenUp")
        self.assertIn("ended 6 times within 30 s", house.record("brain").reason)

    def test_a_crash_loop_is_given_up_although_each_start_looks_healthy(self):
        # 12 s of good life each time: never six ends within 30 s.
        house = House({"brain": 12})
        house.run(600)
        self.assertEqual(len(house.starts), 11)
        self.assertEqual(house.record("brain").wanted, "givenUp")
        self.assertIn("without 60 s of health", house.record("brain").reason)

    def test_rare_ends_with_sustained_health_between_are_never_given_up(self):
        house = House({"brain": 61})
        house.run(3600)
        self.assertEqual(house.record("brain").wanted, "yes")
        self.assertGreater(house.record("brain").restarts, 50)

    def test_delays_double_to_the_last_with_seeded_jitter(self):
        house = House({"brain": 0.0}, Limits(intensity=100, patience=100))
        house.run(40, step=0.01)
        waits = [later - earlier for (earlier, _), (later, _) in zip(house.starts, house.starts[1:])]
        for wait, nominal in zip(waits, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]):
            self.assertGreaterEqual(wait, nominal * 0.8 - 0.01)
            self.assertLessEqual(wait, nominal * 1.2 + 0.03)
        again = House({"brain": 0.0}, Limits(intensity=100, patience=100))
        again.run(40, step=0.01)
        self.assertEqual(again.starts, house.starts)

    def test_others_are_left_alone(self):
        house = House({"hub": 0.01, "brain": 1e9})
        house.run(60)
        self.assertEqual(house.record("hub").wanted, "givenUp")
        self.assertEqual([name for _, name in house.starts].count("brain"), 1)

    def test_wrong_options_are_given_up_at_once(self):
        house = House({"brain": 0.01}, code=rules.USAGE)
        house.run(5)
        self.assertEqual(len(house.starts), 1)
        self.assertIn("options", house.record("brain").reason)

    def test_what_cannot_be_started_is_given_up_with_the_reason(self):
        house = House({"brain": 1e9})
        house.look()
        house.programs["brain"] = Program("brain", rules.FATAL, error="can't find command")
        house.look()
        self.assertEqual(house.record("brain").wanted, "givenUp")
        self.assertIn("can't find command", house.record("brain").reason)

    def test_a_stop_by_hand_is_no_end_and_a_start_by_hand_forgives(self):
        house = House({"brain": 0.01})
        house.run(60)
        house.lifetimes["brain"] = 1e9
        house.start("brain")
        house.look()
        self.assertEqual((house.record("brain").wanted, house.record("brain").failures), ("yes", []))
        self.assertIsNone(house.record("brain").reason)
        house.programs["brain"] = Program("brain", rules.STOPPED)
        house.run(30)
        self.assertEqual(house.record("brain").wanted, "no")
        self.assertEqual(house.programs["brain"].state, rules.STOPPED)

    def test_a_program_that_waits_for_its_turn_is_not_wanted_yet(self):
        supervision = Supervision()
        self.assertEqual(supervision.observe(0, 0, [Program("brain", rules.STOPPED)]), [])
        self.assertEqual(supervision.report(), {"brain": {"wanted": "no", "restarts": 0}})

    def test_an_end_that_a_dead_watch_has_missed_is_made_good(self):
        supervision = Supervision()
        supervision.observe(0, 0, [Program("brain", rules.EXITED, 0, 1)])
        self.assertIsNotNone(supervision.next_due())
        actions = supervision.observe(1, 1000, [Program("brain", rules.EXITED, 0, 1)])
        self.assertEqual([action.verb for action in actions], ["start"])

    def test_a_start_that_supervisord_refuses_is_tried_again(self):
        supervision = Supervision()
        supervision.observe(0, 0, [Program("brain", rules.EXITED, 0, 1)])
        supervision.observe(1, 1000, [Program("brain", rules.EXITED, 0, 1)])
        supervision.not_started("brain", 1)
        self.assertEqual(supervision.next_due(), 6)
        actions = supervision.observe(6, 6000, [Program("brain", rules.EXITED, 0, 1)])
        self.assertEqual([action.verb for action in actions], ["start"])

    def test_the_state_survives_a_restart_of_the_watch(self):
        house = House({"brain": 0.01})
        house.run(1)
        failures = list(house.record("brain").failures)
        self.assertGreater(len(failures), 1)
        taken_up = Supervision(random=random.Random(7).random)
        taken_up.remember(json.loads(json.dumps(house.supervision.memory())))
        self.assertEqual(taken_up.records["brain"].failures, failures)
        self.assertEqual(taken_up.report(), house.supervision.report())
        house.supervision = taken_up
        house.run(60)
        self.assertEqual(len(house.starts), 6)

    def test_the_report_says_how_it_ended(self):
        supervision = Supervision()
        supervision.observe(0, 0, [Program("brain", rules.RUNNING, 5)])
        supervision.observe(1, 1500, [Program("brain", rules.EXITED, 0, None, "SIGSEGV")])
        self.assertEqual(
            supervision.report()["brain"], {"wanted": "yes", "restarts": 0, "lastExit": {"at": 1500, "signal": "SIGSEGV"}})


class FrozenTests(unittest.TestCase):
    def setUp(self):
        self.supervision = Supervision()
        self.programs = [Program("hub", rules.RUNNING, 2), Program("brain", rules.RUNNING, 3)]
        self.supervision.observe(0, 0, self.programs)

    def rows(self, silent):
        state = "silent" if silent >= 3 else "ready"
        return [
            {"process": "hub", "pid": 2, "running": True, "state": "ready", "silentSeconds": 0},
            {"process": "brain", "pid": 3, "running": silent < 3, "state": state, "silentSeconds": silent}]

    def test_a_silent_process_is_killed_at_the_second_look(self):
        self.assertEqual(self.supervision.hear(100, self.rows(12)), [])
        self.assertEqual(self.supervision.hear(105, self.rows(17)), [])
        actions = self.supervision.hear(107, self.rows(19))
        self.assertEqual([(action.verb, action.name, action.pid) for action in actions], [("kill", "brain", 3)])
        self.supervision.observe(111, 111_000, [self.programs[0], Program("brain", rules.EXITED, 0, None, "SIGKILL")])
        self.assertEqual(
            self.supervision.report()["brain"]["lastExit"],
            {"at": 111_000, "signal": "SIGKILL", "reason": "silent for 19 s"})

    def test_who_freezes_at_any_moment_is_killed_after_the_documented_silence(self):
        for tenths in range(0, 50):
            supervision, now = Supervision(), 1000 + tenths / 10
            supervision.observe(0, 0, self.programs)
            supervision.hear(now - 5, self.rows(0))
            frozen = now - tenths / 10
            while not supervision.hear(now, self.rows(now - frozen)):
                self.assertLess(now - frozen, 15, "still alive")
                now += supervision.next_question(5.0)
            self.assertGreaterEqual(now - frozen, 15)
            self.assertLess(now - frozen, 15.5)

    def test_somebody_silent_is_looked_at_again_in_time_and_nobody_else_more_often(self):
        self.supervision.hear(100, self.rows(0))
        self.assertEqual(self.supervision.next_question(5.0), 5.0)
        self.supervision.hear(105, self.rows(11))
        self.assertEqual(self.supervision.next_question(5.0), 2.0)

    def test_one_silent_look_is_forgiven(self):
        for now, silent in [(100, 16), (105, 0), (110, 16), (115, 0)]:
            self.assertEqual(self.supervision.hear(now, self.rows(silent)), [])

    def test_who_is_starting_has_the_time_of_a_start_although_its_row_is_old(self):
        self.supervision.observe(100, 0, [self.programs[0], Program("brain", rules.RUNNING, 4)])
        row = {"process": "brain", "pid": 4, "running": False, "state": "starting", "silentSeconds": 40}
        for now in range(101, 155, 5):
            self.assertEqual(self.supervision.hear(now, self.rows(0)[:1] + [row]), [])

    def test_the_silence_of_a_former_life_is_not_held_against_it(self):
        self.supervision.observe(100, 0, [self.programs[0], Program("brain", rules.RUNNING, 4)])
        for now in range(101, 150, 5):
            self.assertEqual(self.supervision.hear(now, self.rows(90)), [])

    def test_a_process_that_never_comes_onto_the_bus_is_killed(self):
        for now in (10, 30, 57, 59):
            self.assertEqual(self.supervision.hear(now, self.rows(0)[:1]), [])
        self.assertEqual([action.name for action in self.supervision.hear(61, self.rows(0)[:1])], ["brain"])

    def test_a_new_hub_that_does_not_know_them_yet_harms_nobody(self):
        self.supervision.observe(500, 0, [Program("hub", rules.RUNNING, 9), self.programs[1]])
        for now in range(501, 555, 5):
            self.assertEqual(self.supervision.hear(now, []), [])

    def test_a_hub_that_leaves_three_questions_unanswered_is_killed(self):
        self.assertEqual(self.supervision.hear(1, None), [])
        self.assertEqual(self.supervision.misses, 0)
        for now in (10, 11):
            self.assertEqual(self.supervision.hear(now, None), [])
        self.assertEqual([(action.verb, action.pid) for action in self.supervision.hear(12, None)], [("kill", 2)])

    def test_an_answer_between_resets_the_count(self):
        for now in (10, 11):
            self.supervision.hear(now, None)
        self.supervision.hear(12, self.rows(0))
        for now in (13, 14):
            self.assertEqual(self.supervision.hear(now, None), [])

    def test_a_hub_that_is_down_anyway_is_not_killed(self):
        self.supervision.observe(20, 0, [Program("hub", rules.STOPPED), self.programs[1]])
        for now in range(21, 40):
            self.assertEqual(self.supervision.hear(now, None), [])


if __name__ == "__main__":
    unittest.main()
