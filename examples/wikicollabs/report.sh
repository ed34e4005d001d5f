#!/bin/sh
d=$(dirname "$0") && resolwe gen wikicollabs --scale 0.02 -o wikicollabs.rsg && resolwe report "$d/wikicollabs.mln" --stream wikicollabs.rsg --systems gain,logistic,single,base -o wikicollabs.html
