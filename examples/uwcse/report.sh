#!/bin/sh
resolwe report "$(dirname "$0")"/uwcse.mln --stream "${1:?the folder of uwcse_fold1.db and the others}" --folds 5 -o uwcse.html
