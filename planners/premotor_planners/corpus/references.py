"""How people refer to what is in the catalogue, and to what is not, with what a reference means."""

from __future__ import annotations

import random
from dataclasses import dataclass

from premotor_planners.corpus.lexicon import WEAPONS
from premotor_planners.corpus.worlds import USER, SampledWorld, Thing, thing_phrases
from premotor_planners.task.answers.answer import Answer, AskAnswer, RefusalAnswer

COLORS = frozenset((
    "red", "blue", "green", "yellow", "white", "black", "pink", "brown", "orange", "grey", "purple", "silver",
    "golden",
))  # fmt: skip
INSIDE = frozenset((
    "sink", "basin", "drawer", "box", "bin", "basket", "cabinet", "cupboard", "crib", "wardrobe", "closet", "chest",
    "crate", "trunk", "locker", "bathtub", "hamper", "safe", "fridge", "freezer", "minibar", "microwave", "dryer",
    "dishwasher", "tray", "machine",
))  # fmt: skip
"""Last words of places that things are put into."""


class Unsuited(Exception):
    """This world offers no such reference; the caller draws another question."""


@dataclass(frozen=True)
class Reference:
    """`text` as said (with determiner), `name` what it means, or `problem` why it means nothing.

    `bare` is the text without determiner and location: what an unknown thing is called in the refusal.
    """

    text: str
    name: str = ""
    problem: Answer | None = None
    bare: str = ""


class Referrer:
    """Makes references to one world. `terse`: without articles."""

    def __init__(self, world: SampledWorld, rng: random.Random, terse: bool) -> None:
        self.world, self.rng, self.terse = world, rng, terse

    # --- things

    def thing(self, fault: str = "", avoid: frozenset[str] = frozenset(), at: str = "") -> Reference:
        """An object. `at`: the sentence says that it is at this place or room, which may settle what is meant."""
        if fault:
            return {"ambiguous": self._ambiguous, "near": self._near_miss, "unknown": self._unknown_thing}[fault](at)
        pool = [t for t in self._here(at) if t.name not in avoid]
        if not pool:
            raise Unsuited
        families = [t for t in pool if any(t in family for family in self.world.families)]
        thing = self.rng.choice(families if families and self.rng.random() < 0.5 else pool)
        return self._refer(thing, at)

    def _here(self, at: str) -> list[Thing]:
        world = self.world
        free = [t for t in world.things.values() if t.name != world.catalogue.holding and t.noun.noun not in WEAPONS]
        return [t for t in free if not at or at in (t.place, world.room_of(t.place))]

    def _meant(self, phrase: str, at: str) -> list[Thing]:
        """Everything in the world that the phrase may mean, in catalogue order; an exact name means only itself."""
        world = self.world
        if phrase in world.things and (not at or at in self._where(world.things[phrase])):
            return [world.things[phrase]]
        found = [t for t in world.things.values() if phrase in world.phrases[t.name]]
        return [t for t in found if not at or at in self._where(t)]

    def _where(self, thing: Thing) -> tuple[str, str]:
        return thing.place, self.world.room_of(thing.place)

    def _refer(self, thing: Thing, at: str) -> Reference:
        rng, roll = self.rng, self.rng.random()
        phrases = self.world.phrases[thing.name]
        phrase = thing.name if roll < 0.5 else rng.choice(phrases)
        if len(phrase.split()) == 1 and phrase == thing.noun.head != thing.noun.noun and rng.random() < 0.6:
            phrase = thing.name
        meant = self._meant(phrase, at)
        if meant == [thing]:
            if not at and rng.random() < 0.08:
                return self._located(thing, phrase)
            return self._said(phrase, thing.name, definite=rng.random() < 0.88)
        if not at and rng.random() < 0.5 and self._located_meaning(phrase, thing):
            return self._located(thing, phrase)
        if meant and meant[0] == thing and rng.random() < 0.5:
            return self._any(phrase, thing.name)
        return self._said(thing.name, thing.name, definite=True)

    def _located_meaning(self, phrase: str, thing: Thing) -> bool:
        return any(self._meant(phrase, where) == [thing] for where in self._where(thing))

    def _located(self, thing: Thing, phrase: str) -> Reference:
        """The mug in the study, where no other mug is."""
        spots = [where for where in self._where(thing) if self._meant(phrase, where) == [thing]]
        spot = self.rng.choice(spots) if spots else thing.place
        if spot == self.world.dock:
            raise Unsuited
        where = self._determined(spot, "the")
        return Reference(
            f"{self._determined(phrase, 'the')} {preposition(self.world, spot, self.rng)} {where}", thing.name
        )

    def _any(self, phrase: str, name: str) -> Reference:
        if self._mass(phrase):
            raise Unsuited
        article = "an" if phrase[0] in "aeiou" else "a"
        choices = [f"{article} {phrase}"] * 4 + [f"any {phrase}", f"one {phrase}"]
        return Reference(
            phrase if self.terse and self.rng.random() < 0.5 else self.rng.choice(choices), name, bare=phrase
        )

    def _said(self, phrase: str, name: str, definite: bool) -> Reference:
        if not definite and not self._mass(phrase):
            return self._any(phrase, name)
        determiner = self.rng.choice(("the",) * 16 + ("my", "my", "that", "this", "our"))
        if determiner in ("that", "this") and self._mass(phrase):
            determiner = "the"
        return Reference(self._determined(phrase, determiner), name, bare=phrase)

    def _mass(self, phrase: str) -> bool:
        """Whether `a` before the phrase would be wrong: plurals and stuff (chopsticks, milk)."""
        last = phrase.split()[-1]
        stuff = {w for t in self.world.things.values() for s in t.noun.synonyms if s in t.noun.noun for w in [s]}
        return (last.endswith("s") and not last.endswith(("ss", "us"))) or phrase in stuff or " of " in phrase

    def _determined(self, phrase: str, determiner: str) -> str:
        return phrase if self.terse else f"{determiner} {phrase}"

    def _ambiguous(self, at: str) -> Reference:
        options = {
            phrase: found
            for thing in self._here(at)
            for phrase in self.world.phrases[thing.name]
            if len(found := self._meant(phrase, at)) > 1 and all(t in self._here(at) for t in found)
        }
        names = [t for t in self.world.things if t != self.world.catalogue.holding]
        if not options or self.world.catalogue.holding:
            raise Unsuited
        phrase, found = self.rng.choice(list(options.items()))
        if len(found) > 8:
            raise Unsuited
        ordered = tuple(name for name in names if name in {t.name for t in found})
        return Reference(self._determined(phrase, "the"), problem=AskAnswer(ordered), bare=phrase)

    def _near_miss(self, at: str) -> Reference:
        """The green mug, where there are mugs of other colours only."""
        pool = [t for t in self._here(at) if t.attribute in COLORS]
        self.rng.shuffle(pool)
        for thing in pool:
            kin = [t for t in self.world.things.values() if {t.noun.noun, t.noun.head} & set(thing.phrases)]
            missing = COLORS & set(thing.noun.attributes) | {"red", "blue", "green", "yellow", "black", "white"}
            missing -= {t.attribute for t in kin}
            if all(t.attribute in COLORS for t in kin) and missing:
                return self._absent(f"{self.rng.choice(sorted(missing))} {self.rng.choice(thing.plain)}")
        raise Unsuited

    def _unknown_thing(self, at: str) -> Reference:
        rng, lexicon = self.rng, self.world.lexicon
        heads = {w for t in self.world.things.values() for p in self.world.phrases[t.name] for w in p.split()}
        if rng.random() < 0.4:
            phrase = rng.choice(lexicon.unknown_objects)
        else:
            alike = [n for n in lexicon.nouns if n.head in heads and n.head != n.noun]
            noun = rng.choice(alike) if alike and rng.random() < 0.35 else rng.choice(lexicon.nouns)
            if any(self._meant(p, "") for p in thing_phrases(noun, "") if p != noun.head):
                raise Unsuited
            attribute = rng.choice(noun.attributes) if noun.attributes and rng.random() < 0.25 else ""
            phrase = f"{attribute} {noun.noun}".strip()
        if self._meant(phrase, "") or (" " not in phrase and phrase in heads):
            raise Unsuited
        return self._absent(phrase)

    def _absent(self, phrase: str) -> Reference:
        plural = phrase.endswith("s") and not phrase.endswith("ss")
        article = "some" if plural else "an" if phrase[0] in "aeiou" else "a"
        determiner = self.rng.choice(("the", "the", "the", "my", article))
        return Reference(self._determined(phrase, determiner), problem=RefusalAnswer("unknown", phrase), bare=phrase)

    # --- places and people

    def spot(self, fault: str = "", avoid: frozenset[str] = frozenset(), rooms: float = 0.3) -> Reference:
        """A place, or with probability `rooms` a room."""
        if fault == "unknown":
            return self._unknown_place()
        if fault == "ambiguous":
            return self._ambiguous_place()
        world, rng = self.world, self.rng
        pool = [r for r in world.catalogue.rooms if r not in avoid] if rng.random() < rooms else []
        pool = pool or [p for p in world.spots if p not in avoid]
        if not pool:
            raise Unsuited
        return self.place(rng.choice(pool))

    def place(self, name: str) -> Reference:
        """A reference to this place or room."""
        world, rng = self.world, self.rng
        phrase = name if rng.random() < 0.65 else rng.choice(world.phrases[name])
        room = world.catalogue.places.get(name)
        if self._places(phrase) == [name]:
            if room and rng.random() < 0.06 and room not in phrase:
                return Reference(
                    f"{self._determined(phrase, 'the')} in {self._determined(room, 'the')}", name, bare=phrase
                )
            return Reference(self._determined(phrase, "my" if rng.random() < 0.04 else "the"), name, bare=phrase)
        if room and [p for p in self._places(phrase) if world.room_of(p) == room] == [name]:
            return Reference(f"{self._determined(phrase, 'the')} in {self._determined(room, 'the')}", name, bare=phrase)
        return Reference(self._determined(name, "the"), name, bare=name)

    def _places(self, phrase: str) -> list[str]:
        catalogue = self.world.catalogue
        if phrase in catalogue.rooms or phrase in catalogue.places:
            return [phrase]
        return [n for n in (*catalogue.places, *catalogue.rooms) if phrase in self.world.phrases[n]]

    def _unknown_place(self) -> Reference:
        rng, lexicon = self.rng, self.world.lexicon
        pools = (
            lexicon.unknown_places,
            tuple(r.name for r in lexicon.rooms),
            lexicon.spare_places,
            self._like_places(),
        )
        pool = rng.choice(pools)
        phrase = rng.choice(pool) if pool else ""
        words = {w for n in (*self.world.catalogue.places, *self.world.catalogue.rooms) for w in self.world.phrases[n]}
        if not phrase or self._places(phrase) or (phrase in words and " " not in phrase):
            raise Unsuited
        if any(phrase in name or name in phrase for name in words if " " in name or name == phrase):
            raise Unsuited
        if any(s in words for s in lexicon.place_synonyms.get(phrase, ())):
            raise Unsuited
        text = phrase if phrase[0].isupper() else self._determined(phrase, "the")
        return Reference(text, problem=RefusalAnswer("unknown", phrase), bare=phrase)

    def _like_places(self) -> tuple[str, ...]:
        heads = {p.split()[-1] for p in self.world.spots}
        return tuple(p for p in self.world.lexicon.spare_places if " " in p and p.split()[-1] in heads)

    def _ambiguous_place(self) -> Reference:
        options = {p: f for n in self.world.spots for p in self.world.phrases[n] if len(f := self._places(p)) > 1}
        options = {p: f for p, f in options.items() if not set(f) & {*self.world.catalogue.rooms, self.world.dock}}
        if not options:
            raise Unsuited
        phrase, found = self.rng.choice(list(options.items()))
        if len(found) > 8:
            raise Unsuited
        return Reference(self._determined(phrase, "the"), problem=AskAnswer(tuple(found)), bare=phrase)

    def person(self, fault: str = "") -> Reference:
        """Somebody other than the speaker, by name."""
        people = [p for p in self.world.catalogue.people if p != USER]
        if fault:
            lexicon = self.world.lexicon
            text = self.rng.choice(self.rng.choice((lexicon.people, lexicon.unknown_people)))
            if any(word in person.split() for person in people for word in text.split()):
                raise Unsuited
            bare = text.removeprefix("the ").removeprefix("my ")
            return Reference(text, problem=RefusalAnswer("unknown", bare), bare=bare)
        if not people:
            raise Unsuited
        name = self.rng.choice(people)
        return Reference(name, name)


def preposition(world: SampledWorld, spot: str, rng: random.Random) -> str:
    """In a room or a sink; on a table."""
    if spot in world.catalogue.rooms:
        return "in"
    if spot.split()[-1] in INSIDE:
        return rng.choice(("in", "in", "at"))
    return rng.choice(("on", "on", "on", "at"))
