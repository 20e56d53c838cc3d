"""One clause of an instruction with its meaning: a template of an intent, filled with references to the world."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from premotor_planners.corpus.durations import sample_duration
from premotor_planners.corpus.lexicon import WEAPONS
from premotor_planners.corpus.references import Reference, Referrer, Unsuited, preposition
from premotor_planners.corpus.templates import Template, load_templates
from premotor_planners.corpus.worlds import USER, SampledWorld
from premotor_planners.task.answers.answer import Answer, CompactStep, RefusalAnswer

SPEECH = frozenset({"say", "say_here", "tell_to"})
CARRY = frozenset(
    {"move", "swap_order", "give", "give_me", "pick", "contrast", "contrast_give_me", "move_all", "fetch_and_come"}
)
HELD = frozenset({"put_down", "give_held", "give_held_me"})
TO_USER = frozenset({"give_me", "give_held_me", "contrast_give_me", "fetch_and_come", "go_me"})
FAULTS = {
    "obj": ("ambiguous", "ambiguous", "unknown", "unknown", "near"),
    "src": ("wrong", "wrong", "unknown"),
    "dst": ("unknown", "unknown", "ambiguous"),
    "person": ("unknown",),
    "target": ("unknown", "near", "place", "ambiguous"),
}
_PICKUPS = ("get {obj}", "take {obj}", "grab {obj}", "pick up {obj}", "pick {obj} up", "collect {obj}", "go get {obj}")


@dataclass(frozen=True)
class Part:
    """A clause: `steps` when it can be done, else `problem`. `literals` must be found in the text word for word."""

    text: str
    intent: str
    imperative: bool
    steps: tuple[CompactStep, ...] = ()
    problem: Answer | None = None
    literals: tuple[str, ...] = ()


class PartMaker:
    """Makes clauses about one world; remembers what it has moved, and what the gripper holds, from clause to clause."""

    def __init__(self, world: SampledWorld, rng: random.Random, held_out: bool, terse: bool) -> None:
        self.world, self.rng, self.held_out = world, rng, held_out
        self.refer = Referrer(world, rng, terse)
        self.holding: str | None = world.catalogue.holding
        self.moved: set[str] = set()

    def make(self, intent: str, fault: bool = False, imperative: bool = False) -> Part:
        """A clause of the intent; with `fault`, one reference in it means nothing or too much. May raise Unsuited."""
        template = self._template(intent, imperative)
        slot, kind = self._fault(template) if fault else ("", "")
        filled = _Filled(self, template, slot, kind)
        filled.fill()
        steps, problem = self._steps(intent, filled), filled.problem
        if fault and problem is None:
            raise Unsuited
        text, literals = filled.text(), filled.literals
        if problem is None and intent in TO_USER and USER not in self.world.catalogue.people:
            if not re.search(r"\bme\b", text):
                raise Unsuited
            problem, literals = RefusalAnswer("unknown", "me"), ("me",)
        if problem is None:
            problem = self._unskilled(steps)
            self._apply(steps)
        elif self._unskilled(steps):
            raise Unsuited
        return Part(text, intent, template.imperative, () if problem else steps, problem, literals)

    def refusal(self, intent: str, imperative: bool = False) -> Part:
        """A clause that is unsafe, unsupported or unclear as such."""
        template = self._template(intent, imperative)
        filled = _Filled(self, template, "", "")
        filled.fill()
        kind = {"unsafe": "unsafe", "unsupported": "unsupported"}.get(intent, "unclear")
        return Part(filled.text(), intent, template.imperative, (), RefusalAnswer(kind))  # type: ignore[arg-type]

    def weapon(self) -> Part:
        """Somebody wants a weapon carried."""
        intent = self.rng.choice(("give_me", "give", "move", "pick"))
        template = self._template(intent, False)
        if "src" in template.slots:
            raise Unsuited
        filled = _Filled(self, template, "", "")
        filled.weapon = True
        filled.fill()
        return Part(filled.text(), "weapon", template.imperative, (), RefusalAnswer("unsafe"))

    def _template(self, intent: str, imperative: bool) -> Template:
        if intent == "pickup":
            return Template(self.rng.choice(_PICKUPS), True)
        found = load_templates(intent, self.held_out)
        if imperative:
            found = tuple(t for t in found if t.imperative and t.text != "fetch {obj}")
        if not found:
            raise Unsuited
        return self.rng.choice(found)

    def _fault(self, template: Template) -> tuple[str, str]:
        slots = [slot for slot in FAULTS if slot in template.slots]
        if not slots:
            raise Unsuited
        slot = self.rng.choice(slots + ["obj"] * ("obj" in slots) + ["src"] * ("src" in slots))
        return slot, self.rng.choice(FAULTS[slot])

    def _unskilled(self, steps: tuple[CompactStep, ...]) -> RefusalAnswer | None:
        lacking = any(step.skill not in self.world.catalogue.skills for step in steps)
        return RefusalAnswer("unsupported") if lacking else None

    def _apply(self, steps: tuple[CompactStep, ...]) -> None:
        for step in steps:
            if step.skill == "pick":
                self.holding = step.name
                self.moved.add(step.name)
            elif step.skill in ("place", "give"):
                self.holding = None

    def _steps(self, intent: str, filled: _Filled) -> tuple[CompactStep, ...]:
        obj, dst, person = filled.name("obj"), filled.name("dst"), filled.name("person")
        pick, place = CompactStep("pick", obj), CompactStep("place", dst)
        give, to_user = CompactStep("give", person), CompactStep("give", USER)
        wait, say = CompactStep("wait", "", filled.seconds), CompactStep("say", filled.message)
        if intent in HELD and self.holding is None:
            if filled.problem:
                raise Unsuited
            filled.problem = RefusalAnswer("unclear")
        if intent == "move_all":
            return tuple(s for name in filled.family for s in (CompactStep("pick", name), place))
        table: dict[str, tuple[CompactStep, ...]] = {
            "move": (pick, place),
            "swap_order": (pick, place),
            "contrast": (pick, place),
            "give": (pick, give),
            "give_me": (pick, to_user),
            "contrast_give_me": (pick, to_user),
            "pick": (pick,),
            "pickup": (pick,),
            "fetch_and_come": (pick, to_user, CompactStep("dock")),
            "put_down": (place,),
            "give_held": (give,),
            "give_held_me": (to_user,),
            "go": (CompactStep("go", dst),),
            "go_me": (CompactStep("go", USER),),
            "go_person": (CompactStep("go", person),),
            "go_wait": (CompactStep("go", dst), wait),
            "inspect": (CompactStep("inspect", filled.name("target")),),
            "dock": (CompactStep("dock"),),
            "wait": (wait,),
            "say": (CompactStep("go", person), say),
            "tell_to": (CompactStep("go", person), say),
            "say_here": (say,),
        }
        return table[intent]


class _Filled:
    """The slots of one template being filled."""

    def __init__(self, maker: PartMaker, template: Template, fault_slot: str, fault: str) -> None:
        self.maker, self.template, self.fault_slot, self.fault = maker, template, fault_slot, fault
        self.references: dict[str, Reference] = {}
        self.words: dict[str, str] = {}
        self.problem: Answer | None = None
        self.literals: tuple[str, ...] = ()
        self.message, self.seconds, self.weapon = "", 0.0, False
        self.family: tuple[str, ...] = ()

    def name(self, slot: str) -> str:
        """The catalogue name that the slot means."""
        return self.references[slot].name if slot in self.references else ""

    def fill(self) -> None:
        """Draw everything; objects before destinations, so that nothing is taken to where it is."""
        slots, rng = self.template.slots, self.maker.rng
        if "src" in slots:
            self._object_at_source()
        elif "obj" in slots:
            self._put("obj", self._weapon() if self.weapon else self._thing("obj"))
        if "other" in slots:
            self._put("other", self._other())
        if "plural" in slots:
            self._plural()
        if "dst" in slots:
            self._put("dst", self.maker.refer.spot(self._fault("dst"), self._occupied(), 0.3))
        if "target" in slots:
            self._put("target", self._target())
        if "person" in slots:
            self._put("person", self.maker.refer.person(self._fault("person")))
        if "text" in slots:
            self._say("text", self.maker.world.lexicon.messages)
        if "order" in slots:
            self._say("order", self.maker.world.lexicon.orders)
        if slots & {"duration", "n", "unit"}:
            self.words["duration"], self.seconds = sample_duration(rng)
            self.words["n"], _, self.words["unit"] = self.words["duration"].rpartition(" ")

    def text(self) -> str:
        """The clause, with the prepositions that rooms and sinks want."""
        text = self.template.text
        for slot in ("dst", "src"):
            if slot in self.references and f"{{{slot}}}" in text:
                text = self._fit(text, slot, self.references[slot].name)
        values = {slot: reference.text for slot, reference in self.references.items()} | self.words
        try:
            return text.format(**values)
        except (KeyError, IndexError) as error:
            raise Unsuited from error

    def _fit(self, text: str, slot: str, name: str) -> str:
        if not name:
            return text
        word = preposition(self.maker.world, name, self.maker.rng)
        if word != "in":
            return text
        room = name in self.maker.world.catalogue.rooms
        text = re.sub(rf"\b(on|at) \{{{slot}\}}", rf"in {{{slot}}}", text)
        text = re.sub(rf"\bonto \{{{slot}\}}", rf"into {{{slot}}}", text)
        return re.sub(rf"\boff \{{{slot}\}}", ("out of" if room else "from") + rf" {{{slot}}}", text)

    def _fault(self, slot: str) -> str:
        return self.fault if slot == self.fault_slot else ""

    def _put(self, slot: str, reference: Reference) -> None:
        self.references[slot] = reference
        if reference.problem is not None:
            if self.problem is not None:
                raise Unsuited
            self.problem = reference.problem
            if isinstance(reference.problem, RefusalAnswer):
                self.literals += (reference.bare,)

    def _thing(self, slot: str, at: str = "") -> Reference:
        return self.maker.refer.thing(self._fault(slot), frozenset(self.maker.moved), at)

    def _weapon(self) -> Reference:
        there = [t.name for t in self.maker.world.things.values() if t.noun.noun in WEAPONS]
        word = self.maker.rng.choice(there or sorted(WEAPONS))
        return Reference(self.maker.rng.choice((f"the {word}", f"a {word}", f"my {word}")))

    def _object_at_source(self) -> None:
        maker, world = self.maker, self.maker.world
        free = [t for t in world.things.values() if t.name not in maker.moved | {world.catalogue.holding or ""}]
        if not free or self.weapon:
            raise Unsuited
        place = maker.rng.choice(free).place
        at = place if maker.rng.random() < 0.65 or place == world.dock else world.room_of(place)
        if self._fault("src") == "wrong":
            self._wrong_source()
        elif self._fault("src") == "unknown":
            self._put("obj", self._thing("obj"))
            self._put("src", maker.refer.spot("unknown"))
        else:
            missing = self._fault("obj") in ("unknown", "near")
            self._put("obj", self._thing("obj", "" if missing else at))
            self._put("src", maker.refer.place(at))

    def _wrong_source(self) -> None:
        maker, world = self.maker, self.maker.world
        obj = self._thing("obj")
        if not obj.bare or obj.problem:
            raise Unsuited
        homes = [t.place for t in world.things.values() if obj.bare in world.phrases[t.name] or obj.bare == t.name]
        avoid = frozenset(homes + [world.room_of(home) for home in homes])
        self.references["obj"] = obj
        src = maker.refer.spot(avoid=avoid, rooms=0.4)
        self.references["src"] = src
        self.problem, self.literals = RefusalAnswer("unknown", obj.bare), (obj.bare,)

    def _other(self) -> Reference:
        avoid = frozenset({self.name("obj")}) | self.maker.moved
        other = self.maker.refer.thing(avoid=avoid)
        if other.text.split()[0] in ("a", "an", "any", "one"):
            raise Unsuited
        return other

    def _plural(self) -> None:
        world, rng = self.maker.world, self.maker.rng
        families = [f for f in world.families if not {t.name for t in f} & self.maker.moved]
        if not families or world.catalogue.holding:
            raise Unsuited
        family = rng.choice(families)
        noun = family[0].noun
        kin = [t for t in world.things.values() if noun.noun in world.phrases[t.name]]
        if len(kin) != len(family) or noun.noun in WEAPONS or (len(family) > 2 and "both" in self.template.text):
            raise Unsuited
        self.words["plural"] = noun.plural
        self.family = tuple(t.name for t in family)

    def _occupied(self) -> frozenset[str]:
        world = self.maker.world
        names = [n for n in (self.name("obj"), *self.family) if n in world.things]
        places = {world.things[n].place for n in names}
        taken = places | {world.room_of(p) for p in places}
        if "src" in self.references and self.references["src"].name:
            taken |= {self.references["src"].name, world.room_of(self.references["src"].name)}
        return frozenset(taken)

    def _target(self) -> Reference:
        refer, fault = self.maker.refer, self._fault("target")
        if fault == "place":
            return refer.spot("unknown")
        if fault == "ambiguous":
            return refer.spot("ambiguous") if self.maker.rng.random() < 0.4 else refer.thing("ambiguous")
        if fault:
            return refer.thing(fault)
        if self.maker.rng.random() < 0.5:
            return refer.spot()
        thing = refer.thing(avoid=frozenset(self.maker.moved))
        if thing.text.split()[0] in ("a", "an", "any", "one"):
            raise Unsuited
        return thing

    def _say(self, slot: str, pool: tuple[str, ...]) -> None:
        message = self.maker.rng.choice(pool)
        self.message = message
        self.literals += (message,)
        self.words[slot] = f'"{message}"' if self.maker.rng.random() < 0.08 else message
