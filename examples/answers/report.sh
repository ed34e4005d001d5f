#!/bin/sh
d=$(dirname "$0") && resolwe build "$d/answers.recipe" --model "$d/answers.mln" --data "${1:?the folder of Posts.csv and the other tables}" -o answers.rsg && resolwe report "$d/answers.mln" --stream answers.rsg -o answers.html
