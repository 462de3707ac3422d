// Data only. Common passwords of 12 characters and more hardly ever stand alone: most are one of the words below
// with digits around it, or a walk over the keyboard, and password-rules.ts recognises those. What is left are the
// phrases at the end. Everything is lower case, letters and digits only.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words that carry no secret: the heads of public lists of leaked passwords, and what this product is about. */
export const COMMON_WORDS = words(`
  password passwort passwords passwd passphrase passcode kennwort contrasena contrasenya motdepasse senha parola
  wachtwoord haslo salasana losenord lozinka heslo jelszo sifre parole mypassword mypass thepassword newpassword
  oldpassword yourpassword nopassword defaultpassword adminpassword rootpassword userpassword testpassword
  temppassword temporarypassword masterpassword strongpassword securepassword secretpassword passwordpass pass pwd
  secret secrets topsecret mysecret secure security access login logon logmein signin welcome welcomehome letmein
  letmeinnow letmeinplease openup opensesame open sesame changeme changeit changethis changemenow changeplease
  pleasechange pleasechangeme changepassword changethispassword replaceme default guest user username demo sample
  example test tests tester testing testtest temp temporary tmp admin admins administrator administrador
  administrateur administration sysadmin superadmin superuser root toor rootroot adminadmin sudo system manager
  master supervisor operator service support helpdesk backup monitor monitoring monitored server servers computer
  internet network windows microsoft google facebook linkedin twitter instagram youtube amazon samsung apple android
  iphone linux ubuntu debian centos redhat docker kubernetes jenkins gitlab github grafana oracle mysql mariadb
  mongodb redis database databases databaseadmin postgres postgresql postgresadmin postgrespassword postgrespostgres
  pgadmin pgmonitor pgbouncer pgedge elephant elephants matriarch matriarchadmin matriarchpassword dbadmin dbpassword
  dba production prod staging develop developer development devops company corporate enterprise business office
  qwerty qwertz azerty qwertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx qazwsxedc qweasd qweasdzxc asdf qwer abc
  abcd abcdef abcdefg monkey dragon sunshine princess football baseball basketball soccer hockey softball volleyball
  swimming superman batman spiderman ironman wolverine starwars startrek pokemon naruto minecraft fortnite nintendo
  playstation xbox michael michelle jennifer jessica jordan daniel ashley nicole andrew joshua matthew robert thomas
  charlie george william anthony richard benjamin alexander alexandra alexandre christopher christian christine
  christina elizabeth stephanie veronica victoria samantha amanda melissa rebecca patricia barbara margaret katherine
  catherine natalie natalia caroline isabella valentina francesco giovanni fernando alejandro sebastian guillermo
  jonathan nicholas patrick phillip vincent maximilian hunter killer trustno trustnoone shadow mustang corvette
  mercedes porsche ferrari lamborghini harley harleydavidson yamaha kawasaki iloveyou iloveu iloveyousomuch
  iloveyouforever iloveyoubaby iloveme ilovegod ilovejesus loveyou lovely love lover lovers loveme mylove truelove
  sweetheart darling honey babygirl babyboy baby angel angels heaven jesus jesuschrist god godisgood godislove
  godbless blessed blessing faith freedom liberty destiny forever whatever nothing something anything everything
  hello hellohello helloworld goodbye goodmorning goodnight thankyou please sorry friend friends family mother father
  brother sister daughter grandma grandpa mommy daddy chocolate cookie cookies cheese banana strawberry blueberry
  pineapple watermelon pumpkin butterfly butterflies flower flowers rainbow purple orange yellow silver golden
  diamond crystal summer winter spring autumn january february march april june july august september october
  november december monday tuesday wednesday thursday friday saturday sunday sunflower moonlight starlight sunset
  liverpool arsenal chelsea manchester manchesterunited realmadrid barcelona juventus yankees cowboys steelers eagles
  packers patriots lakers chicago boston dallas houston london paris berlin madrid america american england canada
  australia germany deutschland france brazil brasil mexico russia china japan india indonesia pakistan thunder
  lightning phoenix tiger tigers lion lions panther panthers bulldog wolf wolves eagle falcon snoopy mickey
  mickeymouse tinkerbell scooby garfield pikachu gandalf skywalker matrix terminator midnight money cash dollar lucky
  winner champion ginger pepper maggie buster bailey cooper rocky tucker happy smile smiles crazy awesome amazing
  beautiful gorgeous handsome perfect fantastic wonderful excellent jackson johnson williams anderson rodriguez
  martinez hernandez gonzalez metallica slipknot nirvana eminem beatles ledzeppelin pinkfloyd blink guitar music
  dance dancer dancing cheer cheerleader soldier marine marines army navy airforce police fireman firefighter teacher
  student students school college university
`);

/** Phrases, with spaces and other separators left out, that the rules do not recognise by themselves. */
export const COMMON_PHRASES = words(`
  1qaz2wsx3edc4rfv 1qazxsw23edc qwerty123qwerty qwerty12345qwerty qwerty1234qwerty qwertyqwerty123 qwe123qwe123
  asd123asd123 qweasdzxc123 qazwsxedc123 zxcvbnm123456 asdfghjkl123 a1b2c3d4e5f6 a1s2d3f4g5h6 a1b2c3d4e5f6g7
  1a2b3c4d5e6f 1a2s3d4f5g6h abcd1234abcd abc123def456 abc123abc123 abcd1234efgh 123abc456def 123qwe123qwe
  123qweasdzxc 1234qwerasdf 12345qwerty6 123456abcdef 1234567890abc 1234567890qwe pass123word123 password1password
  password1password2 password123password passpasspass passwordone passwordtwo passwordadmin passwordroot passworduser
  passwordtest passwordlogin passwordqwerty passwordabc123 passwordsecret mypasswordis mypasswordispassword
  passwordispassword thisispassword thisismypassword thisisapassword thisisthepassword thisisasecret thisisatest
  thisismypass thisismylife thisisnotapassword notmypassword notapassword nopasswordneeded nopasswordhere
  idontknow123 idontknowthepassword iforgotmypassword iforgotit1234 iforgotmypass forgotpassword forgotmypassword
  whatisthepassword whatsthepassword whatismypassword whatsmypassword givemethepassword givemeaccess enterpassword
  enteryourpassword enterpasswordhere yourpasswordhere insertpasswordhere typepasswordhere putpasswordhere
  passwordgoeshere changethispasswordnow pleasechangethis pleasechangethispassword changemeplease changemelater
  changeonfirstlogin changeonlogin changeafterlogin firsttimelogin defaultadmin defaultuser adminuser adminroot
  adminlogin administrator1 adminmaster masteradmin superadmin123 rootadmin rootaccess useradmin testadmin testuser
  testuser123 testing12345 testtesttest testaccount testingtesting demouser123 guestguest123 welcomewelcome
  welcometothejungle welcomeback123 welcometoparadise welcomehome123 welcomeuser letmeinletmein letmeinforever
  letmein12345 openthedoor openthegate supersecret supersecretpassword supersecure supersecurepassword verysecret
  verysecure verysecretpassword verysecurepassword veryverysecret veryverysecure verystrongpassword mysecretpassword
  mysuperpassword mysecurepassword mystrongpassword ilovemyself ilovemylife ilovemyfamily ilovemymom ilovemymother
  ilovemydad ilovemyparents ilovemywife ilovemyhusband ilovemyson ilovemydaughter ilovemybaby ilovemydog ilovemycat
  ilovemykids ilovemyfriends ilovemyboyfriend ilovemygirlfriend ilovemycountry ilovemusic ilovefootball ilovesoccer
  ilovechocolate iloveanime ilovekpop ilovecats123 ilovedogs123 iloveyou1234 iloveyoumore iloveyoualways iloveyouall
  iloveyoutoo iloveyoulord iloveyoujesus iloveyoumom iloveyoumum iloveyoudad iloveyouloveme iloveyouiloveyou
  iloveyou3000 iloveyoubabe iloveyouverymuch iloveyousomuch1 iloveyoubecause loveyouforever loveyousomuch
  loveyoualways lovelovelove loveislove loveislife loveisblind loveofmylife lovemelikeyoudo lovemetender lovehurts123
  forever21forever foreverandever foreveryoung foreveralone foreverinlove foreverlove bestfriends bestfriendsforever
  bestfriend123 friendsforever friends4ever godislove123 godisgood123 godisgreat godismylife godismyshepherd
  godismysavior godfirst1234 godblessme godblessyou godblessamerica ingodwetrust jesusislord jesuslovesme jesusloves
  jesussaves jesusismylord jesusisthelord jesuschrist1 jesusmysavior thankyoulord thankyoujesus thankgod1234
  trustnobody trustingod trustinthelord praisethelord hallelujah123 amazinggrace holyspirit123 allahuakbar
  alhamdulillah bismillah123 bismillahirrahmanirrahim assalamualaikum insyaallah123 subhanallah mashaallah123
  harekrishna omnamahshivaya jaishreeram jaimatadi123 startrek1234 starwars1234 maytheforcebewithyou maytheforce
  lukeskywalker darthvader123 obiwankenobi lordoftherings harrypotter harrypotter1 harrypotter123 hermionegranger
  hogwarts1234 gameofthrones winteriscoming valarmorghulis youshallnotpass onepiece1234 dragonball dragonballz
  dragonballz1 sailormoon123 finalfantasy finalfantasy7 finalfantasyx callofduty callofduty4 counterstrike
  worldofwarcraft leagueoflegends assassinscreed grandtheftauto legendofzelda supermario123 supermariobros
  sonicthehedgehog pokemonmaster gottacatchemall spongebob123 spongebobsquarepants mickeymouse1 winniethepooh
  hellokitty123 hellokitty1 tinkerbell1 scoobydoo123 teletubbies thundercats powerrangers transformers optimusprime
  bumblebee123 spiderman123 captainamerica blackpanther wonderwoman greenlantern jamesbond007 terminator2
  indianajones jurassicpark backtothefuture fightclub123 breakingbad heisenberg walkingdead thewalkingdead
  strangerthings rickandmorty peakyblinders theofficetv bigbangtheory howimetyourmother greysanatomy prisonbreak
  onedirection onedirection1 justinbieber justinbieber1 taylorswift taylorswift13 linkinpark linkinpark1
  linkinpark123 greenday1234 systemofadown rageagainstthemachine redhotchilipeppers avengedsevenfold
  bringmethehorizon falloutboy foofighters ironmaiden ironmaiden666 blacksabbath gunsnroses gunsandroses deeppurple
  rollingstones therollingstones michaeljackson michaeljordan michaeljordan23 bobmarley420 mychemicalromance
  myfavoritethings breakingbenjamin nevergiveup nevergiveup1 neversaynever neversaydie neverforget neverland123
  neveragain123 alwaysandforever alwaysremember believeinyourself believeinme dreamscometrue dreambig1234
  followyourdreams livelaughlove livelovelaugh laughlovelive carpediem123 hakunamatata onelove1234 onelifeonelove
  lifeisgood lifeisbeautiful lifeisgood123 lifegoeson123 liveyourlife myself123456 myfamily1234 mylifemyrules
  mychildren mydaughters mybabygirl mybestfriend mynameis1234 mynameisjohn mynameismike mynameisearl mynameisbond
  motherfucker motherfucker1 fuckyoubitch fuckyou12345 fuckyou123456 fuckthisshit fucktheworld fuckthepolice
  fuckoff12345 fuckeverything suckmydick123 suckmyballs kissmyass123 biteme123456 bitchplease gofuckyourself
  whatthefuck whatthehell imthebest123 iamthebest iamthebest1 iamtheone123 iamtheking iamthegod iamlegend123
  iamawesome iamhappy1234 iamironman iambatman123 iamgroot1234 theonlyone theonlyoneforme numberone123 numberone1
  thebestofthebest thebestever theoneandonly theonering thegreatest thegodfather thematrix123 thelordismyshepherd
  thequickbrownfox thequickbrown quickbrownfox thecatinthehat tobeornottobe onceuponatime happilyeverafter
  happybirthday happybirthday1 happynewyear merrychristmas christmas1234 halloween1234 valentine1234 happyhappy12
  happydays1234 havefun12345 haveaniceday goodmorning1 goodluck1234 goodforyou123 sweetdreams sweethome123
  homesweethome sweetheart1 sweetiepie cutiepie1234 babygirl1234 babydoll1234 princess1234 littleprincess
  prettyprincess prettyinpink prettygirl12 prettywoman prettylittleliars barbiegirl12 barbiedoll12 chocolatecake
  chocolatechip chocolate123 strawberry12 strawberryshortcake icecream1234 cheesecake12 peanutbutter peanutbutter1
  applepie1234 butterfly123 sunshine1234 sunflower123 rainbow12345 rainbowdash1 flowerpower flowerpower1 moonlight123
  bluemoon1234 blacksheep12 blackcat1234 blackbird123 blackberry12 whitetiger12 redsox123456 reddragon123
  greenapple12 greenpeace12 purplerain12 purplehaze12 yellowsubmarine goldfish1234 manchesterunited1 manchestercity
  manutd123456 liverpoolfc liverpoolfc1 youllneverwalkalone ynwa12345678 chelseafc123 arsenalfc123 realmadrid123
  realmadridcf barcelona123 fcbarcelona fcbarcelona1 visca123456 juventus1897 bayernmunich bayernmunchen borussia1909
  galatasaray galatasaray1905 fenerbahce1907 besiktas1903 bocajuniors riverplate12 corinthians flamengo1234
  palmeiras1914 newyorkyankees newyorkcity newyork12345 losangeles12 losangeleslakers sanfrancisco sandiego1234
  lasvegas1234 california1 california12 philadelphia pennsylvania massachusetts northcarolina southcarolina
  unitedstates unitedkingdom southafrica newzealand1 switzerland1 deutschland1 deutschland123 saintpetersburg
  moskva123456 constantinople supercalifragilisticexpialidocious antidisestablishmentarianism
  pneumonoultramicroscopicsilicovolcanoconiosis donaudampfschifffahrtsgesellschaft honorificabilitudinitatibus
  administrator123 zaq1zaq1zaq1 zaq12wsxcde3 zaq1xsw2cde3 qwaszx123456 qwaszxqwaszx qazxswedcvfr poiuytrewq123
  mnbvcxz12345 lkjhgfdsa123 asdfqwer1234 asdfzxcv1234 asdfasdf1234 zxcvasdfqwer qwerasdfzxcv rewqfdsavcxz
  azertyuiop12 azertyuiop123 azerty123456 qwertz123456 yxcvbnm12345 geheim123456 passwort1234 hallo1234567
  hallohallo12 schatz123456 schatzi12345 ichliebedich ichliebedich1 ichliebedich123 liebedich123 fussball1234
  sonnenschein sonnenschein1 schmetterling motdepasse123 jetaime12345 jetaimefort jetaimemonamour monamour1234
  bonjour12345 soleil123456 doudou123456 loulou123456 chouchou1234 tequiero1234 tequieromucho teamomucho teamo1234567
  teamoteamo12 teamoporsiempre contrasena123 contrasenya1 micontrasena hola12345678 holahola1234 holamundo123
  bienvenido12 bienvenidos1 amorcito1234 amordemivida miamor123456 mivida123456 estrella1234 mariposa1234
  familia12345 dios12345678 diosesamor diosesamor1 diosesbueno diosmio12345 senha1234567 senhasenha12 euteamo12345
  eutedeio123 mudar1234567 mudar123mudar brasil123456 saopaulofc12 deusefiel123 deuseamor123 jesuscristo jesuscristo1
  tiamo1234567 tiamotantissimo tiamopersempre amoremio1234 ciaociao1234 forzajuve123 forzainter12 forzamilan12
  haslohaslo12 kochamcie123 kochamcie1234 polska123456 salasana1234 wachtwoord12 welkom123456 geheim1234567
  privet123456 parol1234567 lubov1234567 qwerty654321 qwertyu12345 ytrewq654321 natasha12345 nikita123456
`);
