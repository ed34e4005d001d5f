#!/bin/sh
d=$(dirname "$0") && resolwe gen delicious --scale 0.02 -o delicious.rsg && resolwe report "$d/delicious.mln" --stream delicious.rsg --systems gain,logistic,single,base -o delicious.html
