#!/bin/sh
d=$(dirname "$0") && resolwe build "$d/shintowiki.recipe" --model "$d/shintowiki.mln" --data "${1:?the folder of article_edit.tsv and the other tables}" -o shintowiki.rsg && resolwe report "$d/shintowiki.mln" --stream shintowiki.rsg -o shintowiki.html
