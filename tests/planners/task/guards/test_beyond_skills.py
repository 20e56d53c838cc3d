"""What no skill does is refused without a model; what only sounds like it is not."""

from __future__ import annotations

import pytest

from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.guards.capability import beyond_skills
from premotor_planners.task.reading.reading import read

BEYOND = """
fly to the bedroom
cook dinner
fry me two eggs
make me a sandwich
open the fridge
could you close the door
clean the kitchen
please wash the red mug
turn on the tv
switch the lamp off
sing me a lullaby
call my mum on the phone
text Ben that I am late
water the plants
pour me a glass of water
vacuum the living room before the guests come
read me the newspaper
take a picture of the sofa
do the laundry
follow me
guide Anna to the bedroom
climb the stairs
tell Anna a joke
if Ben is awake, bring him the apple
if it starts raining, bring me the umbrella
when Anna arrives, tell her dinner is ready
unless Ben is asleep, give him the apple
every ten minutes check the kitchen
every morning at eight take the newspaper to Anna
check the sofa hourly
at 5 pm bring me my medicine
bring me the newspaper tomorrow
take the apple to Ben in 10 minutes
wait until Ben comes home
keep checking the sofa
go back and forth between the kitchen and the bedroom
drive to the sofa three times
patrol all night
bring me the newspaper after lunch
go to the kitchen and open the window
"""

WITHIN = """
bring me the newspaper when you get a chance
if you can, take the red mug to the sink
if it is not too much trouble, bring me the apple
as soon as you can, go to the kitchen
once you have put the mug in the sink, dock
before you dock, check the sofa
tell Anna to turn the music down
tell Ben to be back at 5 pm
wait another 20 seconds
it will rain tomorrow, so bring me the umbrella
I read every evening, put the reading glasses on the nightstand
take the clean mug to the sink
would you mind taking the apple to Ben?
"""


@pytest.mark.parametrize("task", [line for line in BEYOND.splitlines() if line])
def test_beyond(house: Catalogue, task: str) -> None:
    found = beyond_skills(read(task, house))
    assert found is not None and getattr(found, "kind", "") == "unsupported"


@pytest.mark.parametrize("task", [line for line in WITHIN.splitlines() if line])
def test_within(house: Catalogue, task: str) -> None:
    assert beyond_skills(read(task, house)) is None
