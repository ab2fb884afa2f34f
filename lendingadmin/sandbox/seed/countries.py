"""Countries of the borrowers in the sample data: names, phones, ids and places.

Patterns have `#` for a digit and `@` for a capital letter.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Country:
    """Realistic data of a country. `code` is ISO 3166-1 alpha-2, `zone` an IANA zone name."""

    code: str
    zone: str
    phone: str
    government_id: str
    women: tuple[str, ...]
    men: tuple[str, ...]
    surnames: tuple[str, ...]
    places: tuple[str, ...]
    trades: tuple[str, ...]
    company_forms: tuple[str, ...]


def _split(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(","))


_ENGLISH_TRADES = _split(
    "Hardware, Agrovet, Transporters, Bakery, Timber Yard, Phone Repairs, Poultry Farm, Printers,"
    " General Stores, Tailoring, Water Vendors, Motor Spares, Pharmacy, Fresh Produce, Salon"
)
_ENGLISH_FORMS = _split("Limited, Ltd, Enterprises, & Sons, Cooperative Society, Women Group")

KENYA = Country(
    code="KE",
    zone="Africa/Nairobi",
    phone="+2547########",
    government_id="########",
    women=_split(
        "Wanjiru, Achieng, Nafula, Chebet, Mwikali, Njeri, Atieno, Faith, Mercy, Grace, Zawadi,"
        " Halima, Jepkosgei, Moraa, Wambui, Naliaka, Kerubo"
    ),
    men=_split(
        "Kamau, Otieno, Kiprotich, Mutua, Wafula, Brian, Dennis, Juma, Abdi, Kipchumba, Onyango,"
        " Mwangi, Peter, Samuel, Barasa, Nyongesa, Lekishon"
    ),
    surnames=_split(
        "Kariuki, Odhiambo, Cheruiyot, Musyoka, Wekesa, Njoroge, Ouma, Rotich, Nzioka, Simiyu,"
        " Githinji, Okoth, Langat, Muthoni, Hassan, Ole Sankale, Mwakio, Nyaboke"
    ),
    places=_split("Nakuru, Kisumu, Eldoret, Machakos, Kitale, Thika, Malindi, Garissa, Nyeri"),
    trades=_ENGLISH_TRADES,
    company_forms=_ENGLISH_FORMS,
)
UGANDA = Country(
    code="UG",
    zone="Africa/Kampala",
    phone="+25677#######",
    government_id="CM########@@@@",
    women=_split("Nakato, Namubiru, Akello, Babirye, Nalwoga, Apio, Kyomuhendo, Esther, Ruth"),
    men=_split("Okello, Mugisha, Ssemwogerere, Kato, Tumusiime, Ochieng, Wasswa, Isaac, Moses"),
    surnames=_split("Nsubuga, Byaruhanga, Odongo, Kizza, Ssebunya, Atwine, Opio, Lubega, Katumba"),
    places=_split("Mbale, Gulu, Mbarara, Jinja, Masaka, Lira"),
    trades=_ENGLISH_TRADES,
    company_forms=_ENGLISH_FORMS,
)
TANZANIA = Country(
    code="TZ",
    zone="Africa/Dar_es_Salaam",
    phone="+25575#######",
    government_id="19######-#####-#####-##",
    women=_split("Neema, Rehema, Upendo, Asha, Mwajuma, Furaha, Subira, Anna, Zuhura"),
    men=_split("Baraka, Juma, Emmanuel, Hamisi, Rashidi, Elia, Godfrey, Salum, Daudi"),
    surnames=_split("Mushi, Mwakyusa, Massawe, Kimaro, Shayo, Ngowi, Mrisho, Komba, Lyimo"),
    places=_split("Mwanza, Arusha, Dodoma, Tanga, Moshi, Iringa"),
    trades=_split("Duka la Dawa, Usafirishaji, Mashine ya Nafaka, Ufugaji, Vifaa vya Ujenzi"),
    company_forms=_split("Limited, SACCOS, & Wanawe, Group"),
)
GHANA = Country(
    code="GH",
    zone="Africa/Accra",
    phone="+23324#######",
    government_id="GHA-#########-#",
    women=_split(
        "Akosua, Adwoa, Abena, Akua, Yaa, Afia, Ama, Efua, Esi, Dede, Naa, Mawusi, Rahinatu,"
        " Patience, Comfort, Enyonam"
    ),
    men=_split(
        "Kwasi, Kwadwo, Kwabena, Kwaku, Yaw, Kofi, Kwame, Nii, Tetteh, Selorm, Alhassan, Fuseini,"
        " Ebenezer, Richmond, Edem, Nana"
    ),
    surnames=_split(
        "Mensah, Owusu, Boateng, Asante, Agyeman, Osei, Appiah, Quaye, Lamptey, Agbeko, Dogbe,"
        " Iddrisu, Abubakari, Ofori-Atta, Baidoo, Nkrumah, Sarpong, Tawiah"
    ),
    places=_split("Kumasi, Tamale, Takoradi, Ho, Sunyani, Cape Coast, Koforidua, Tema, Wa"),
    trades=_ENGLISH_TRADES,
    company_forms=_ENGLISH_FORMS,
)
NIGERIA = Country(
    code="NG",
    zone="Africa/Lagos",
    phone="+234803#######",
    government_id="###########",
    women=_split("Ngozi, Folake, Aisha, Chiamaka, Títílayọ̀, Hauwa, Ifeoma, Bukola, Ebiere"),
    men=_split("Chukwuemeka, Babatunde, Musa, Olúwaṣeun, Ibrahim, Obinna, Tamuno, Sadiq, Efe"),
    surnames=_split("Okonkwo, Adébáyọ̀, Bello, Eze, Ogunleye, Danjuma, Nwosu, Balogun, Etim"),
    places=_split("Ibadan, Enugu, Kano, Jos, Aba, Calabar"),
    trades=_ENGLISH_TRADES,
    company_forms=_ENGLISH_FORMS,
)
EGYPT = Country(
    code="EG",
    zone="Africa/Cairo",
    phone="+2010########",
    government_id="2#############",
    women=_split("فاطمة, مريم, نورهان, آية, سارة, هبة الله, زينب"),
    men=_split("محمد, أحمد, محمود, يوسف, عبد الرحمن, كريم, مصطفى"),
    surnames=_split("حسن, عبد العزيز, الشناوي, إبراهيم, منصور, السيد, رمضان, البدوي"),
    places=_split("طنطا, أسيوط, المنصورة, الزقازيق, أسوان"),
    trades=_split("للمخبوزات, لقطع الغيار, للملابس الجاهزة, للأدوات المنزلية"),
    company_forms=_split("وشركاه, وأولاده, ش.م.م"),
)
IVORY_COAST = Country(
    code="CI",
    zone="Africa/Abidjan",
    phone="+22507########",
    government_id="CI0########",
    women=_split("Aya, Adjoua, Aminata, Marie-Noëlle, Fatoumata, Bénédicte, Affoué, Rokia"),
    men=_split("Kouassi, Koffi, Yao, Amadou, Jean-Baptiste, Sékou, Hervé, Drissa"),
    surnames=_split("Kouadio, N’Guessan, Traoré, Koné, Ouattara, Bamba, Coulibaly, Gnahoré"),
    places=_split("Bouaké, Daloa, Korhogo, San-Pédro, Man"),
    trades=_split("Quincaillerie, Boulangerie, Cacao et Café, Transports, Pièces Détachées"),
    company_forms=_split("SARL, et Frères, SA, GIE"),
)

#: Currency, smallest round sum, and share of borrowers from each country in percent, by app.
APPS: dict[str, tuple[str, int, tuple[tuple[Country, int], ...]]] = {
    "kenya": (
        "KES",
        500,
        ((KENYA, 64), (UGANDA, 14), (TANZANIA, 12), (EGYPT, 6), (NIGERIA, 4)),
    ),
    "ghana": (
        "GHS",
        50,
        ((GHANA, 66), (NIGERIA, 14), (IVORY_COAST, 12), (EGYPT, 5), (KENYA, 3)),
    ),
}
