package rank

// Round12 gives tests the rounding that decides ties.
var Round12 = round12
