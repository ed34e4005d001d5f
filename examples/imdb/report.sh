#!/bin/sh
resolwe report "$(dirname "$0")"/imdb.mln --stream "${1:?the folder of imdb.1.db and the others}" --folds 5 -o imdb.html
