#!/bin/sh
d=$(dirname "$0") && resolwe build "$d/lastfm.recipe" --model "$d/lastfm.mln" --data "${1:?the folder of user_friends.dat and the other tables}" -o lastfm.rsg && resolwe report "$d/lastfm.mln" --stream lastfm.rsg -o lastfm.html
