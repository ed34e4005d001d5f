#!/bin/sh
d=$(dirname "$0") && resolwe report "$d/smokers.mln" --stream "$d/smokers.db" -o smokers.html
