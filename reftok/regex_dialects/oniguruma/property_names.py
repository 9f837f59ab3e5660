"""The property names of Oniguruma 6.9.10, and what has changed about some since its Unicode version, 16.0.

Source: unicode_property_data.c. Left out are InCB and In_No_Block, whose members are not those that the name promises.
Written down by hand; tests/reftok/regex_dialects/oniguruma/test_patterns.py asks the official library for every name,
and for the members of those that differ between the versions.
"""

from __future__ import annotations

_NAMES = """
adlam adlm aghb ahex ahom alnum alpha alphabetic anatolianhieroglyphs any arab arabic armenian armi armn
ascii asciihexdigit assigned avestan avst bali balinese bamu bamum bass bassavah batak batk beng bengali
bhaiksuki bhks bidic bidicontrol blank bopo bopomofo brah brahmi brai braille bugi buginese buhd buhid c
cakm canadianaboriginal cans cari carian cased casedletter caseignorable caucasianalbanian cc cf chakma cham
changeswhencasefolded changeswhencasemapped changeswhenlowercased changeswhentitlecased
changeswhenuppercased cher cherokee chorasmian chrs ci closepunctuation cn cntrl co combiningmark common
connectorpunctuation control copt coptic cpmn cprt cs cuneiform currencysymbol cwcf cwcm cwl cwt cwu cypriot
cyprominoan cyrillic cyrl dash dashpunctuation decimalnumber defaultignorablecodepoint dep deprecated
deseret deva devanagari di dia diacritic diak digit divesakuru dogr dogra dsrt dupl duployan ebase ecomp
egyp egyptianhieroglyphs elba elbasan elym elymaic emod emoji emojicomponent emojimodifier emojimodifierbase
emojipresentation enclosingmark epres ethi ethiopic ext extendedpictographic extender extpict
finalpunctuation format gara garay geor georgian glag glagolitic gong gonm goth gothic gran grantha graph
graphemebase graphemeextend graphemelink grbase greek grek grext grlink gujarati gujr gukh gunjalagondi
gurmukhi guru gurungkhema han hang hangul hani hanifirohingya hano hanunoo hatr hatran hebr hebrew hex
hexdigit hira hiragana hluw hmng hmnp hung hyphen idc idcompatmathcontinue idcompatmathstart idcontinue ideo
ideographic ids idsb idsbinaryoperator idst idstart idstrinaryoperator idsu idsunaryoperator imperialaramaic
inadlam inaegeannumbers inahom inalchemicalsymbols inalphabeticpresentationforms inanatolianhieroglyphs
inancientgreekmusicalnotation inancientgreeknumbers inancientsymbols inarabic inarabicextendeda
inarabicextendedb inarabicextendedc inarabicmathematicalalphabeticsymbols inarabicpresentationformsa
inarabicpresentationformsb inarabicsupplement inarmenian inarrows inavestan inbalinese inbamum
inbamumsupplement inbasiclatin inbassavah inbatak inbengali inbhaiksuki inblockelements inbopomofo
inbopomofoextended inboxdrawing inbrahmi inbraillepatterns inbuginese inbuhid inbyzantinemusicalsymbols
incarian incaucasianalbanian inchakma incham incherokee incherokeesupplement inchesssymbols inchorasmian
incjkcompatibility incjkcompatibilityforms incjkcompatibilityideographs
incjkcompatibilityideographssupplement incjkradicalssupplement incjkstrokes incjksymbolsandpunctuation
incjkunifiedideographs incjkunifiedideographsextensiona incjkunifiedideographsextensionb
incjkunifiedideographsextensionc incjkunifiedideographsextensiond incjkunifiedideographsextensione
incjkunifiedideographsextensionf incjkunifiedideographsextensiong incjkunifiedideographsextensionh
incjkunifiedideographsextensioni incombiningdiacriticalmarks incombiningdiacriticalmarksextended
incombiningdiacriticalmarksforsymbols incombiningdiacriticalmarkssupplement incombininghalfmarks
incommonindicnumberforms incontrolpictures incoptic incopticepactnumbers incountingrodnumerals incuneiform
incuneiformnumbersandpunctuation incurrencysymbols incypriotsyllabary incyprominoan incyrillic
incyrillicextendeda incyrillicextendedb incyrillicextendedc incyrillicextendedd incyrillicsupplement
indeseret indevanagari indevanagariextended indevanagariextendeda indingbats indivesakuru indogra
indominotiles induployan inearlydynasticcuneiform inegyptianhieroglyphformatcontrols inegyptianhieroglyphs
inegyptianhieroglyphsextendeda inelbasan inelymaic inemoticons inenclosedalphanumerics
inenclosedalphanumericsupplement inenclosedcjklettersandmonths inenclosedideographicsupplement inethiopic
inethiopicextended inethiopicextendeda inethiopicextendedb inethiopicsupplement ingaray ingeneralpunctuation
ingeometricshapes ingeometricshapesextended ingeorgian ingeorgianextended ingeorgiansupplement inglagolitic
inglagoliticsupplement ingothic ingrantha ingreekandcoptic ingreekextended ingujarati ingunjalagondi
ingurmukhi ingurungkhema inhalfwidthandfullwidthforms inhangulcompatibilityjamo inhanguljamo
inhanguljamoextendeda inhanguljamoextendedb inhangulsyllables inhanifirohingya inhanunoo inhatran inhebrew
inherited inhighprivateusesurrogates inhighsurrogates inhiragana inideographicdescriptioncharacters
inideographicsymbolsandpunctuation inimperialaramaic inindicsiyaqnumbers ininscriptionalpahlavi
ininscriptionalparthian inipaextensions initialpunctuation injavanese inkaithi inkaktoviknumerals
inkanaextendeda inkanaextendedb inkanasupplement inkanbun inkangxiradicals inkannada inkatakana
inkatakanaphoneticextensions inkawi inkayahli inkharoshthi inkhitansmallscript inkhmer inkhmersymbols
inkhojki inkhudawadi inkiratrai inlao inlatin1supplement inlatinextendeda inlatinextendedadditional
inlatinextendedb inlatinextendedc inlatinextendedd inlatinextendede inlatinextendedf inlatinextendedg
inlepcha inletterlikesymbols inlimbu inlineara inlinearbideograms inlinearbsyllabary inlisu inlisusupplement
inlowsurrogates inlycian inlydian inmahajani inmahjongtiles inmakasar inmalayalam inmandaic inmanichaean
inmarchen inmasaramgondi inmathematicalalphanumericsymbols inmathematicaloperators inmayannumerals
inmedefaidrin inmeeteimayek inmeeteimayekextensions inmendekikakui inmeroiticcursive inmeroitichieroglyphs
inmiao inmiscellaneousmathematicalsymbolsa inmiscellaneousmathematicalsymbolsb inmiscellaneoussymbols
inmiscellaneoussymbolsandarrows inmiscellaneoussymbolsandpictographs inmiscellaneoustechnical inmodi
inmodifiertoneletters inmongolian inmongoliansupplement inmro inmultani inmusicalsymbols inmyanmar
inmyanmarextendeda inmyanmarextendedb inmyanmarextendedc innabataean innagmundari innandinagari innewa
innewtailue innko innumberforms innushu innyiakengpuachuehmong inogham inolchiki inoldhungarian inolditalic
inoldnortharabian inoldpermic inoldpersian inoldsogdian inoldsoutharabian inoldturkic inolduyghur inolonal
inopticalcharacterrecognition inoriya inornamentaldingbats inosage inosmanya inottomansiyaqnumbers
inpahawhhmong inpalmyrene inpaucinhau inphagspa inphaistosdisc inphoenician inphoneticextensions
inphoneticextensionssupplement inplayingcards inprivateusearea inpsalterpahlavi inrejang
inruminumeralsymbols inrunic insamaritan insaurashtra inscriptionalpahlavi inscriptionalparthian insharada
inshavian inshorthandformatcontrols insiddham insinhala insinhalaarchaicnumbers insmallformvariants
insmallkanaextension insogdian insorasompeng insoyombo inspacingmodifierletters inspecials insundanese
insundanesesupplement insunuwar insuperscriptsandsubscripts insupplementalarrowsa insupplementalarrowsb
insupplementalarrowsc insupplementalmathematicaloperators insupplementalpunctuation
insupplementalsymbolsandpictographs insupplementaryprivateuseareaa insupplementaryprivateuseareab
insuttonsignwriting insylotinagri insymbolsandpictographsextendeda insymbolsforlegacycomputing
insymbolsforlegacycomputingsupplement insyriac insyriacsupplement intagalog intagbanwa intags intaile
intaitham intaiviet intaixuanjingsymbols intakri intamil intamilsupplement intangsa intangut
intangutcomponents intangutsupplement intelugu inthaana inthai intibetan intifinagh intirhuta intodhri
intoto intransportandmapsymbols intulutigalari inugaritic inunifiedcanadianaboriginalsyllabics
inunifiedcanadianaboriginalsyllabicsextended inunifiedcanadianaboriginalsyllabicsextendeda invai
invariationselectors invariationselectorssupplement invedicextensions inverticalforms invithkuqi inwancho
inwarangciti inyezidi inyijinghexagramsymbols inyiradicals inyisyllables inzanabazarsquare
inznamennymusicalnotation ital java javanese joinc joincontrol kaithi kali kana kannada katakana kawi
kayahli khar kharoshthi khitansmallscript khmer khmr khoj khojki khudawadi kiratrai kits knda krai kthi l
lana lao laoo latin latn lc lepc lepcha letter letternumber limb limbu lina linb lineara linearb
lineseparator lisu ll lm lo loe logicalorderexception lower lowercase lowercaseletter lt lu lyci lycian lydi
lydian m mahajani mahj maka makasar malayalam mand mandaic mani manichaean marc marchen mark masaramgondi
math mathsymbol mc mcm me medefaidrin medf meeteimayek mend mendekikakui merc mero meroiticcursive
meroitichieroglyphs miao mlym mn modi modifiercombiningmark modifierletter modifiersymbol mong mongolian mro
mroo mtei mult multani myanmar mymr n nabataean nagm nagmundari nand nandinagari narb nbat nchar nd newa
newline newtailue nko nkoo nl no noncharactercodepoint nonspacingmark nshu number nushu nyiakengpuachuehmong
oalpha odi ogam ogham ogrext oidc oids olchiki olck oldhungarian olditalic oldnortharabian oldpermic
oldpersian oldsogdian oldsoutharabian oldturkic olduyghur olonal olower omath onao openpunctuation oriya
orkh orya osage osge osma osmanya other otheralphabetic otherdefaultignorablecodepoint othergraphemeextend
otheridcontinue otheridstart otherletter otherlowercase othermath othernumber otherpunctuation othersymbol
otheruppercase ougr oupper p pahawhhmong palm palmyrene paragraphseparator patsyn patternsyntax
patternwhitespace patws pauc paucinhau pc pcm pd pe perm pf phag phagspa phli phlp phnx phoenician pi plrd
po posixpunct prependedconcatenationmark print privateuse prti ps psalterpahlavi punct punctuation qaac qaai
qmark quotationmark radical regionalindicator rejang ri rjng rohg runic runr s samaritan samr sarb saur
saurashtra sc sd sentenceterminal separator sgnw sharada shavian shaw shrd sidd siddham signwriting sind
sinh sinhala sk sm so softdotted sogd sogdian sogo sora sorasompeng soyo soyombo space spaceseparator
spacingmark sterm sund sundanese sunu sunuwar surrogate sylo sylotinagri symbol syrc syriac tagalog tagb
tagbanwa taile taitham taiviet takr takri tale talu tamil taml tang tangsa tangut tavt telu telugu term
terminalpunctuation tfng tglg thaa thaana thai tibetan tibt tifinagh tirh tirhuta titlecaseletter tnsa
todhri todr toto tulutigalari tutg ugar ugaritic uideo unassigned unifiedideograph unknown upper uppercase
uppercaseletter vai vaii variationselector vith vithkuqi vs wancho wara warangciti wcho whitespace word
wspace xdigit xidc xidcontinue xids xidstart xpeo xsux yezi yezidi yi yiii z zanabazarsquare zanb zinh zl zp
zs zyyy zzzz
"""
NAMES = frozenset(_NAMES.split())
"""Small letters; spaces, hyphens and underscores are left out."""

EXTENDED_PICTOGRAPHIC = """
A9 AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 2388 23CF 23E9-23F3 23F8-23FA 24C2 25AA-25AB 25B6
25C0 25FB-25FE 2600-2605 2607-2612 2614-2685 2690-2705 2708-2712 2714 2716 271D 2721 2728 2733-2734 2744 2747
274C 274E 2753-2755 2757 2763-2767 2795-2797 27A1 27B0 27BF 2934-2935 2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D
3297 3299 1F000-1F0FF 1F10D-1F10F 1F12F 1F16C-1F171 1F17E-1F17F 1F18E 1F191-1F19A 1F1AD-1F1E5 1F201-1F20F 1F21A
1F22F 1F232-1F23A 1F23C-1F23F 1F249-1F3FA 1F400-1F53D 1F546-1F64F 1F680-1F6FF 1F774-1F77F 1F7D5-1F7FF
1F80C-1F80F 1F848-1F84F 1F85A-1F85F 1F888-1F88F 1F8AE-1F8FF 1F90C-1F93A 1F93C-1F945 1F947-1FAFF 1FC00-1FFFD
"""
"""The members in Unicode 16: it had code points for pictures to come, which later versions took back."""

LEFT_SINCE_16 = dict.fromkeys(["cased", "casedletter", "lc", "ll", "lower", "lowercase", "lowercaseletter"], "295")
"""Members of 16 that are none any more."""

_UPPERCASE_SINCE_16 = "277 27C A7D3 A7D5 AB4B-AB4C"
_DIACRITIC_SINCE_16 = """
5A2 5C5 5C7 656 6E2 8D3 1D9B-1DBE
"""
JOINED_SINCE_16 = (
    dict.fromkeys(["lo", "otherletter"], "295")
    | dict.fromkeys(
        ["changeswhencasemapped", "cwcm", "changeswhentitlecased", "cwt", "changeswhenuppercased", "cwu"],
        _UPPERCASE_SINCE_16,
    )
    | dict.fromkeys(["dia", "diacritic"], _DIACRITIC_SINCE_16.strip())
)
"""What was assigned in 16, but has become a member later."""
