"""What fits each example best: the forms of losses and failures that a new table of its kind may have."""

from typing import NamedTuple


class Column(NamedTuple):
    """How one column acts; places in it go from -1 to 1."""

    key: str
    """Its type, with C if it nearly decides the cost of a row and c if it acts on the cost."""
    linear: float
    quadratic: float
    roughness: float
    """How fast the similarity of two rows falls with their distance in this column."""
    choice: float
    """The variance of the effects of a category."""
    failure_linear: float
    failure_quadratic: float


class Example(NamedTuple):
    """The form of one table of examples."""

    kind: str
    variance: float
    """Of what linear, quadratic and category effects leave over."""
    noise: float
    failures: float
    """The share of rows that fail."""
    columns: list[Column]


def column_of(text: str) -> Column:
    """A column as it is written below; numbers that are left out are 0."""
    key, *words = text.split()
    numbers = [float(word) for word in words]
    if key == "cat":
        return Column(key, 0.0, 0.0, numbers[0], numbers[1], 0.0, 0.0)
    linear, quadratic, roughness, *failure = numbers
    return Column(key, linear, quadratic, roughness, 0.0, *(failure or (0.0, 0.0)))


def example_of(text: str) -> Example:
    """An example as it is written below."""
    head, *columns = text.split(";")
    kind, *numbers = head.split()
    variance, noise, failures = map(float, numbers)
    return Example(kind, variance, noise, failures, [column_of(part) for part in columns])


TEXT = """
a .0824 .045 .142; cat .328 .038; log .115 1.141 10.877 .323 .4; doublingc -.132 .035 .099 -.005 .003; log
  -.055 .144 .033 -.002 .032; wholec -.175 -.031 .109 .166 .12
a .2241 .099 .113; log -.194 .821 7.291 .245 .3; log .054 .042 .015 -.022 -.012; log 0 .072 .022 -.035
  -.039; wholec -.24 -.078 .243 .15 .031; doublingc -.078 .048 .033 .038 -.005; cat 2.196 0; real .099 -.107
  .022 -.016 .016
a .2241 .162 .35; real -.005 .095 .015 -.039 .005; wholec -.304 .025 .808 .275 -.031; log -.005 .66 10.877
  .504 .173; whole -.018 -.013 .015 .022 .047; doublingc -.154 .039 .109 -.005 .001; cat 7.291 .022; log
  .119 .236 .015 .001 -.028; real .009 .032 .015 .007 .015
a .1502 .163 .122; log -.439 .428 3.276 .258 .254; doublingc -.293 -.026 .363 .057 .033; real -.032 .007
  .015 .048 -.032; real .001 -.043 .015 -.018 .057; cat 2.196 .024; log -.053 .067 .015 -.009 .046; wholec
  -.361 -.051 .542 .174 .093
a .1007 .095 .12; real .028 .025 .073 .034 .009; log -.297 .979 4.887 .274 .39; wholec -.106 .066 .163 .14
  .017; doublingc -.081 .02 .049 -.027 -.014; log .055 .031 .163 .024 -.022; whole -.032 .046 .015 -.006
  -.016; cat .49 .005
a .2241 .11 .263; doublingc -.217 .034 .49 .077 -.029; log -.116 .931 7.291 .466 .355; whole .025 -.116 .015
  -.003 -.021; log -.004 .161 .243 .036 -.045; wholec -.31 .027 .49 .213 .016; real .071 .062 .109 -.008
  -.055; cat .987 .01; log .009 -.025 .015 .025 -.065
b .1502 .141 0; real .033 -.076 .015; real .017 .053 .015; doublingC -.085 -.027 3.276; wholec .206 .343
  .808; log -.158 -.031 .363; log .024 .775 4.887; log .008 -.045 .015
b .2241 .127 0; wholec .375 .142 .808; log -.235 -.147 .243; log .015 .016 .015; log -.006 .588 3.276;
  doublingC -.016 .021 1.091; real -.017 -.083 .015
b .1502 .038 0; log -.153 -.108 .243; whole -.009 -.005 .015; doublingC -.143 -.014 2.196; whole .028 .081
  .015; wholec .072 .408 .542; real -.136 .135 .033; log -.225 .664 7.291
b .2241 .061 0; log -.221 -.062 .163; whole .014 .018 .015; wholec .022 .279 .731; doublingC -.134 .002
  1.472; real -.009 .201 .015; log -.2 .582 4.887; whole .1 -.044 .033
b .1502 .124 0; log -.603 .298 4.887; log .004 -.051 .015; wholec .311 .229 .363; real -.027 .055 .015; log
  -.125 -.072 .109; doublingC -.182 .03 1.627
b .2241 .039 0; doublingC -.077 .162 2.196; log -.191 .661 4.887; log -.227 .015 .163; whole -.012 .048
  .015; real -.022 .087 .015; wholec .109 .103 .731
c .3343 .094 .018; log -.065 .141 4.887 -.013 .027; cat 16.227 .145; logC -.127 .961 2.196 .051 .105
c .0675 .037 .052; log -.033 .076 3.621 .004 .016; log .014 -.039 .015 .019 .001; logC -.189 .297 10.877
  .124 .212; cat 1.627 .02
c .2241 .073 0; cat .243 .001; log .198 .18 2.196; real -.01 -.012 .015; logC .006 .526 3.276
c .1502 .034 .018; log .01 .113 .808 .005 .02; logC 0 .526 7.291 .05 .12; cat 3.276 .013; real .033 -.05
  .015 -.008 -.003
c .1007 .119 0; cat .363 .001; logC -.15 .361 4.887; log -.076 .29 4.887; real .025 -.026 .015
c .2241 .069 0; logC .192 .743 7.291; log .124 .324 3.276; cat .363 .009; whole .028 -.013 .015; real .002
  .013 .015; real -.064 -.066 .022
d .1007 .201 0; whole -.42 .136 4.887; real .079 -.048 .163; real .031 .014 .022; cat 3.276 .004; whole .035
  .073 .033; whole -.009 .015 .015; cat .808 .025; wholeC -.099 .095 .049
d .2241 .264 0; whole -.297 .472 3.276; whole -.027 .014 .015; whole -.023 -.061 .015; log .033 .043 .015;
  cat 2.196 .02; wholeC -.163 .117 .049; cat 1.091 .044
d .1007 .113 0; cat 1.472 .073; wholeC -.242 .189 .542; whole .082 .399 2.196; cat .163 .007
d .0452 .298 0; wholeC -.238 .102 .542; real .011 -.046 .015; cat 16.227 .067; log .023 .021 .033; whole
  -.011 -.03 .015; cat .015 0; whole .078 .254 4.887
d .05 .172 0; cat 16.227 .056; whole -.016 -.004 .015; cat 2.196 .052; real .116 -.061 .22; real -.007 -.018
  .015; wholeC -.232 .122 .243; whole -.043 .176 3.276; real .011 -.009 .015
d .05 .265 0; whole .087 .272 1.472; cat 16.227 .066; log .032 .046 .049; real 0 .022 .015; cat .073 .011;
  real -.02 .009 .015; real .027 .023 .022; wholeC -.321 .22 .808
e .05 .15 .015; real .047 .13 .363 .006 .012; log .287 .147 .015 0 -.02; whole -.069 .052 .033 -.001 .016;
  cat 16.227 .059; log -.082 .143 3.276 .034 .075; real -.104 .05 .731 -.007 -.012; log .033 .002 .015 -.003
  -.015
e .2241 .136 0; whole -.225 -.07 1.091; log .103 .165 .163; whole .222 .081 .49; log .214 -.048 .49; cat
  16.227 .046
e .2241 .092 0; log .079 .229 1.091; cat 16.227 .074; log -.083 .597 .731; log -.149 -.1 .22; log .275 .002
  2.196
e .2241 .156 0; whole -.146 .036 .49; cat 16.227 .032; whole .074 .042 .073; log .163 .161 .073; whole .107
  .033 .363; whole -.268 .087 .731
e .2241 .148 0; log -.096 .34 .015; real .09 .229 .731; log -.105 .002 .073; cat 16.227 .064; real .084 .03
  .163; log -.213 .153 .49
e .2241 .075 .08; whole -.005 .011 .015 .106 .102; cat 16.227 .122; real -.108 .143 .328 .033 0; log -.352
  .249 .328 -.018 -.094; log .135 .088 .731 .065 .027; whole -.109 -.014 .328 .059 .074
f .2241 .281 .02; real -.168 .551 .731 .007 -.025; real .013 -.012 .015 -.01 .017; wholeC -.33 .486 3.276
  .004 -.02; log -.027 .426 .731 -.009 -.022; log .117 .344 .731 .008 -.02; cat .163 0; whole .015 .043 .015
  -.027 .009
f .0248 .091 .055; whole .014 -.003 .015 .013 .061; log .015 .174 2.427 .025 -.006; whole .005 0 .015 .007
  -.015; cat .363 0; wholeC -.043 .197 4.887 -.025 .001; real .133 .112 3.276 -.028 .026; log .096 .173
  4.887 .009 -.012
f .0335 .215 .028; cat .243 .001; real .102 .3 2.196 -.007 -.024; log -.212 .298 3.276 -.01 -.025; log .011
  .291 1.091 -.016 .024; wholeC .08 .398 7.291 -.01 .016; log -.002 .012 .015 -.001 .005
f .0225 .106 .075; wholeC -.145 .154 7.291 .03 0; whole -.003 -.009 .073 .004 -.012; real -.114 .262 3.276
  -.006 -.049; log .139 .15 3.276 .028 .026; cat .542 0; log .002 .188 .073 .032 .02
f .1007 .526 .01; cat .109 .008; log -.473 .519 7.291 .005 -.022; real .241 .405 .542 .005 .017; wholeC
  -.114 .688 1.627 .006 .023; log .078 .393 .033 -.011 .008
f .0225 .147 .01; cat .109 0; log -.003 .262 .808 .007 .027; wholeC -.051 .385 16.227 -.002 -.011; real .167
  .169 2.196 -.011 -.009; log -.035 .412 4.887 .003 .01
g .037 .382 0; real .005 -.003 .015; real -.013 -.021 .015; realC .827 -.101 10.877; log -.158 .26 .542; cat
  .22 .008; log .026 .087 .015; real .053 .127 .073; real .006 .026 .015
g .05 .235 0; real -.017 .032 .015; real -.047 .114 .022; log -.552 .05 1.472; real .024 .075 .073; realC
  .538 .21 3.276; cat .109 .004; log -.058 .004 .015
g .05 .206 0; log -.003 .013 .015; real -.199 .103 .49; cat .163 .017; logC -.36 .423 3.276; log -.462 .322
  4.887; real .034 .125 .015
g .037 .17 0; realC -.76 -.185 4.887; log .137 .032 .243; log -.162 .118 .542; whole -.001 .033 .015; log
  -.202 .156 1.091; real .032 .057 .022
g .05 .459 0; logC -.314 .701 10.877; real .092 -.01 .109; whole -.002 -.006 .015; log .011 .028 .015; real
  .463 .189 1.627; real -.217 .061 .243; log -.196 .141 .243
g .0248 .183 0; whole 0 .026 .015; cat .015 0; realC .734 .026 4.887; log .147 .074 .243; real -.369 .095
  1.472; log .012 -.023 .015; log -.087 .056 .243; whole .009 .011 .015
"""
"""Examples; each goes on in lines that are set in."""

EXAMPLES = [example_of(text) for text in TEXT.replace("\n  ", " ").strip().split("\n")]
