package render_test

import (
	"strings"
	"testing"

	"resolwe"
	"resolwe/internal/render"
	"resolwe/internal/test/check"
)

const bank = `number days, latest
loan_target_(loan)
target loan_target(loan)
loan_account_id(loan, account)
loan_amount(loan, number)
loan_payments(loan, number)
loan_duration(loan, number)
trans_account_id(tran, account)
trans_k_symbol(tran, tran_k_symbol)
trans_operation(tran, tran_operation)
trans_balance(tran, number)
trans_amount(tran, number)
trans_days(tran, days)
trans_latest_account_id(tran, latest)
account_frequency(account, account_frequency)
account_days(account, days)
account_district_id(account, district)
district_region(district, district_region)
//= type tran: transaction, transactions
//= loan_target: went bad | did not go bad
//= loan_account_id: its account; one
//= loan_amount: amount [CZK]
//= loan_payments: monthly payment [CZK]
//= loan_duration: duration [months]
//= trans_account_id: on {account} | {account} has {tran}
//= trans_balance: balance [CZK]; level
//= trans_amount: transaction amount [CZK]
//= trans_days: age
//= trans_latest_account_id: rank
//= trans_k_symbol "sanction interest if negative balance": charges overdraft interest | had been charged overdraft interest
//= trans_k_symbol "household": pays for the household | had a household payment
//= trans_operation "remittance to another bank": sends money to another bank | had sent money to another bank
//= account_frequency "weekly issuance": gets weekly statements
//= account_frequency "issuance after transaction": gets a statement after each transaction
//= account_district_id: its district; one
//= district_region "Prague": is in Prague
`

const shop = `number days
target responses_target(customer)
visits_customer_id(visit, customer)
visits_days(visit, days)
orders_customer_id(order, customer)
orders_days(order, days)
returns_product(customer, product)
lines_product(customer, product)
customers_birth_year(customer, number)
customers_newsletter(customer)
//= type customer: customer, customers; who
//= responses_target: responded | did not respond
//= returns_product: {customer} returned {product} | {product} was returned by {customer}
//= lines_product: {customer} bought {product} | {product} was bought by {customer}
//= customers_birth_year: year of birth [year]
//= customers_newsletter: gets the newsletter
`

const races = `number days, latest
target dnf_target(driver)
results_driverId(result, driver)
results_grid(result, number)
results_days(result, days)
team(driver, constructor)
standings_constructorId(standing, constructor)
standings_points(standing, number)
standings_latest_constructorId(standing, latest)
drivers_nationality(driver, nationality)
dnf_label(result, number)
standings_x(result, constructor)
//= dnf_target: failed to finish a race | finished each race
//= results_grid: grid position; low is good
//= team: its team; one
//= standings_points: points
//= drivers_nationality: its nationality | {2} is shared by {1}; one
//= dnf_label 0: is one not finished
`

const wiki = `target modifies(article, user)
member(user, topic)
level2Topic(article, topic)
userTalk(user, user)
//= modifies: {2} edited {1}
//= type user: user, users; who
//= member: is a member of
//= level2Topic: has at level 2 | {topic} is at level 2 of {article}
//= userTalk: {1} wrote to {2} | {2} heard from {1}
`

const onAccount = "loan_account_id(l, a) ^ trans_account_id(t, a) ^ "

// The words of formulas found in four data sets, and of the other forms of literals; a "-" before a formula tells its other side.
func TestTell(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ schema, formula, want, name string }{
		{bank, `loan_target(l)`, `all loans`, `base rate`},
		{bank, `once: ` + onAccount + `trans_k_symbol(t, "sanction interest if negative balance") ^ loan_target(l)`, `loans whose account had been charged overdraft interest`, `number of transactions that charge overdraft interest`},
		{bank, `log: ` + onAccount + `trans_k_symbol(t, "sanction interest if negative balance") ^ loan_target(l)`, `loans whose account had been charged overdraft interest`, `number of transactions that charge overdraft interest`},
		{bank, `-once: ` + onAccount + `trans_k_symbol(t, "sanction interest if negative balance") ^ loan_target(l)`, `loans whose account had never been charged overdraft interest`, `number of transactions that charge overdraft interest`},
		{bank, `-sum{b, t: ` + onAccount + `trans_balance(t, b) ^ trans_days(t, d) ^ d <= 30} >= 85000 ^ loan_target(l)`, `loans whose account's total balance in the last 30 days was under 85,000 CZK`, `total balance in the last 30 days`},
		{bank, `-min{b, t: ` + onAccount + `trans_balance(t, b) ^ trans_days(t, d) ^ d <= 365} >= 5500 ^ loan_target(l)`, `loans whose account's lowest balance in the last 365 days was under 5,500 CZK`, `lowest balance in the last 365 days`},
		{bank, `-min{b, t: ` + onAccount + `trans_amount(t, b) ^ trans_days(t, d) ^ d <= 365} >= 5.9 ^ loan_target(l)`, `loans whose account's lowest transaction amount in the last 365 days was under 5.9 CZK`, `lowest transaction amount in the last 365 days`},
		{bank, `-once: loan_amount(l, n) ^ n <= 317460 ^ loan_target(l)`, `loans of more than 317,460 CZK`, `amount`},
		{bank, `once: loan_payments(l, n) ^ n >= 7290 ^ loan_target(l)`, `loans with a monthly payment of 7,290 CZK or more`, `monthly payment`},
		{bank, `once: ` + onAccount + `trans_operation(t, "remittance to another bank") ^ loan_target(l)`, `loans whose account had sent money to another bank`, `number of transactions that send money to another bank`},
		{bank, `log: loan_account_id(l, a) ^ account_frequency(a, "issuance after transaction") ^ account_days(a, d) ^ d <= 164 ^ loan_target(l)`, `loans whose account gets a statement after each transaction and is dated at most 164 days ago`, `account gets a statement after each transaction and is dated at most 164 days ago`},
		{bank, `once: loan_account_id(l, a) ^ account_frequency(a, "weekly issuance") ^ loan_target(l)`, `loans whose account gets weekly statements`, `account gets weekly statements`},
		{bank, `once: loan_amount(l, n) ^ n >= 100000 ^ n <= 317460 ^ loan_target(l)`, `loans of 100,000 to 317,460 CZK`, `amount`},
		{bank, `#{t, a: ` + onAccount + `trans_operation(t, "remittance to another bank")} >= 12 ^ loan_target(l)`, `loans whose account had sent money to another bank 12 times or more`, `number of transactions that send money to another bank`},
		{bank, `#{t, a: ` + onAccount + `trans_k_symbol(t, "household")} < 1 ^ loan_target(l)`, `loans whose account had no household payment`, `number of transactions that pay for the household`},
		{bank, `avg{b, t: ` + onAccount + `trans_balance(t, b) ^ trans_latest_account_id(t, k) ^ k <= 1} <= 20000 ^ loan_target(l)`, `loans whose account's balance at its latest transaction was 20,000 CZK or less`, `balance at its latest transaction`},
		{bank, `last{b, d, t: ` + onAccount + `trans_balance(t, b) ^ trans_days(t, d)} <= 20000 ^ loan_target(l)`, `loans whose account's balance at its first transaction was 20,000 CZK or less`, `balance at its first transaction`},
		{bank, `!avg{b, t: ` + onAccount + `trans_balance(t, b) ^ trans_days(t, d) ^ d <= 90} >= 40000 ^ loan_target(l)`, `loans whose account's average balance in the last 90 days was under 40,000 CZK`, `average balance in the last 90 days`},
		{bank, `once: loan_duration(l, n) ^ n <= 24 ^ loan_payments(l, p) ^ p >= 7290 ^ loan_target(l)`, `loans over 24 months or less with a monthly payment of 7,290 CZK or more`, `duration over 24 months or less with a monthly payment of 7,290 CZK or more`},
		{bank, `-once: loan_duration(l, n) ^ n <= 24 ^ loan_payments(l, p) ^ p >= 7290 ^ loan_target(l)`, `loans other than those over 24 months or less with a monthly payment of 7,290 CZK or more`, `not: duration over 24 months or less with a monthly payment of 7,290 CZK or more`},
		{bank, `once: loan_account_id(l, a) ^ account_district_id(a, r) ^ district_region(r, Prague) ^ loan_target(l)`, `loans whose account's district is in Prague`, `account's district is in Prague`},
		{bank, `share{t: trans_operation(t, "remittance to another bank") | ` + onAccount + `trans_days(t, d) ^ d <= 90} >= .35 ^ loan_target(l)`, `loans where 35% or more of the transactions in the last 90 days send money to another bank`, `share of its transactions in the last 90 days that send money to another bank`},
		{bank, `trend{b, d, t: ` + onAccount + `trans_balance(t, b) ^ trans_days(t, d) ^ d <= 90} < 0 ^ loan_target(l)`, `loans whose account's first balance in the last 90 days less the average of those after was under 0 CZK`, `first balance in the last 90 days less the average of those after`},
		{bank, `rank(2, 3): min{b, t: ` + onAccount + `trans_balance(t, b) ^ trans_days(t, d) ^ d <= 365} ^ loan_target(l)`, `loans whose account's lowest balance in the last 365 days is known`, `lowest balance in the last 365 days`},
		{bank, `rank(2, 3): loan_amount(l, n) ^ loan_target(l)`, `loans whose amount is known`, `amount`},
		{bank, `once: ` + onAccount + `trans_amount(t, n) ^ n >= 10000 ^ loan_target(l)`, `loans whose account has at least one transaction with a transaction amount of 10,000 CZK or more`, `account has at least one transaction with a transaction amount of 10,000 CZK or more`},
		{shop, `min{d, v: visits_customer_id(v, c) ^ visits_days(v, d)} <= 14 ^ responses_target(c)`, `customers whose latest visit was at most 14 days ago`, `latest visit`},
		{shop, `-min{d, v: visits_customer_id(v, c) ^ visits_days(v, d)} <= 14 ^ responses_target(c)`, `customers whose latest visit was more than 14 days ago, or never`, `latest visit`},
		{shop, `log: returns_product(c, p) ^ lines_product(e, p) ^ responses_target(c)`, `customers who returned at least one product that was bought by a customer`, `number of products that were bought by a customer`},
		{shop, `once: returns_product(c, p) ^ lines_product(e, p) ^ e != c ^ responses_target(c)`, `customers who returned at least one product that was bought by another customer`, `number of products that were bought by another customer`},
		{shop, `#{o: orders_customer_id(o, c) ^ orders_days(o, d) ^ d <= 90} >= 3 ^ responses_target(c)`, `customers with 3 or more orders in the last 90 days`, `number of orders in the last 90 days`},
		{shop, `-#{o: orders_customer_id(o, c) ^ orders_days(o, d) ^ d <= 90} >= 3 ^ responses_target(c)`, `customers with fewer than 3 orders in the last 90 days`, `number of orders in the last 90 days`},
		{shop, `log: orders_customer_id(o, c) ^ orders_days(o, d) ^ d <= 365 ^ responses_target(c)`, `customers with at least one order in the last 365 days`, `number of orders in the last 365 days`},
		{shop, `customers_birth_year(c, n) ^ responses_target(c)`, `customers whose year of birth is known`, `year of birth`},
		{shop, `-customers_birth_year(c, n) ^ responses_target(c)`, `customers whose year of birth is missing`, `year of birth`},
		{shop, `customers_newsletter(c) => responses_target(c)`, `customers who get the newsletter`, `get the newsletter`},
		{shop, `!customers_newsletter(c) ^ responses_target(c)`, `customers who do not get the newsletter`, `do not get the newsletter`},
		{shop, `once: customers_birth_year(c, n) ^ n >= 1970 ^ responses_target(c)`, `customers whose year of birth is 1970 or more`, `year of birth`},
		{shop, `-#{o: orders_customer_id(o, c)} < 1 ^ customers_newsletter(c) ^ responses_target(c)`, `customers other than those with no order and who get the newsletter`, `not: no order and who get the newsletter`},
		{shop, `mean: returns_product(c, p) ^ returns_product(e, p) ^ responses_target(e) ^ responses_target(c)`, `customers who returned at least one product that was returned by a customer who responded`, `number of products that were returned by a customer who responded`},
		{races, `avg{g, r: results_driverId(r, d) ^ results_grid(r, g) ^ results_days(r, e) ^ e <= 365} >= 13.05 ^ dnf_target(d)`, `drivers whose average grid position in the last 365 days was 13.05 or worse`, `average grid position in the last 365 days`},
		{races, `-avg{g, r: results_driverId(r, d) ^ results_grid(r, g) ^ results_days(r, e) ^ e <= 365} >= 13.05 ^ dnf_target(d)`, `drivers whose average grid position in the last 365 days was better than 13.05`, `average grid position in the last 365 days`},
		{races, `sum{p, s: team(d, c) ^ standings_constructorId(s, c) ^ standings_points(s, p) ^ standings_latest_constructorId(s, k) ^ k <= 3} >= 37 ^ dnf_target(d)`, `drivers whose team's total points in its latest 3 standings was 37 or more`, `total points in its latest 3 standings`},
		{races, `#{n, e: drivers_nationality(d, n) ^ drivers_nationality(e, n)} >= 24 ^ dnf_target(d)`, `drivers whose nationality is shared by 24 or more drivers`, `number of drivers`},
		{races, `#{r, n: results_driverId(r, d) ^ standings_x(r, n)} >= 2 ^ dnf_target(d)`, `drivers with 2 or more combinations of a result that is linked by "standings x" to a constructor`, `number of combinations of a result that are linked by "standings x" to a constructor`},
		{races, `#{r: results_driverId(r, d) ^ dnf_label(r, 0)} >= 2 ^ dnf_target(d)`, `drivers with 2 or more results that are one not finished`, `number of results that are one not finished`},
		{wiki, `once: member(u, c) ^ level2Topic(t, c) ^ modifies(t, u)`, `pairs where the user is a member of a topic that is at level 2 of the article`, `the user is a member of a topic that is at level 2 of the article`},
		{wiki, `userTalk(u1, u2) ^ modifies(t, u1) => modifies(t, u2)`, `pairs where the user heard from a user who edited the article`, `the user heard from a user who edited the article`},
	} {
		inverse := strings.HasPrefix(test.formula, "-")
		m, err := resolwe.ParseModel("m.mln", []byte(test.schema+"1 "+strings.TrimPrefix(test.formula, "-")+"\n"), resolwe.ModelOptions{})
		check.OK(t, err)
		told := render.NewSpeaker(m.Schema).Tell(m.Formulas[0], inverse)
		check.Equal(t, test.formula, told.Group.String(), test.want)
		check.Equal(t, "name of "+test.formula, told.Name.String(), test.name)
	}
}

// A formula with a weight is one sentence, which compares nothing if it is merely used for prediction.
func TestInWords(t *testing.T) {
	t.Parallel()
	for formula, want := range map[string]string{
		"-1 responses_target(c)":                                                                                 "How often customers responded at all.",
		"1 customers_newsletter(c) => responses_target(c)":                                                       "Customers who get the newsletter responded more often.",
		"//= established\n-1 customers_newsletter(c) => responses_target(c)":                                     "Customers who get the newsletter responded less often.",
		"1 customers_newsletter(c) ^ !responses_target(c)":                                                       "Customers who get the newsletter responded less often.",
		"//= also used for prediction\n1 customers_newsletter(c) => responses_target(c)":                         "Customers who get the newsletter.",
		"1 log: orders_customer_id(o, c) ^ responses_target(c)":                                                  "Customers with at least one order responded more often, the more of these the more so.",
		"-1 rank(1, 2): #{o: orders_customer_id(o, c)} ^ responses_target(c)":                                    "By number of orders: the higher, the less often customers responded.",
		"1 mean: lines_product(c, p) ^ lines_product(e, p) ^ e != c ^ responses_target(e) ^ responses_target(c)": "Customers who bought at least one product that was bought by another customer who responded responded more often, the larger their share the more so.",
		"responses_target(c) => EXIST o orders_customer_id(o, c).":                                               "A rule that always holds, and has no short reading.",
		"1 responses_target(c) <=> customers_newsletter(c)":                                                      "A rule that has no short reading.",
	} {
		m, err := resolwe.ParseModel("m.mln", []byte(shop+formula+"\n"), resolwe.ModelOptions{})
		check.OK(t, err)
		check.Equal(t, formula, render.InWords(m.Schema, m.Formulas[0]).String(), want)
	}
}
