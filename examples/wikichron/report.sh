#!/bin/sh
d=$(dirname "$0") && resolwe build "$d/wikichron.recipe" --model "$d/wikichron.mln" --data "${1:?the folder of the dumps as tables}" -o wikichron.rsg && resolwe report "$d/wikichron.mln" --stream wikichron.rsg -o wikichron.html
