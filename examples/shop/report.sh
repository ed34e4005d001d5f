#!/bin/sh
d=$(dirname "$0") && resolwe gen shop -o shop && resolwe build "$d/shop.recipe" --model "$d/shop.mln" --data shop -o shop.rsg && resolwe report "$d/shop.mln" --stream shop.rsg --discover --select '--length 2' --systems gain,logistic,single,base -o shop.html
