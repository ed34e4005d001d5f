package render_test

import (
	"strings"
	"testing"

	"resolwe"
	"resolwe/internal/render"
	"resolwe/internal/test/check"
)

const bank = `number amount, days, latest, payments, duration
loan_account_id(loan, account)
trans_account_id(tran, account)
account_district_id(account, district)
district_region(district, region)
account_frequency(account, frequency)
account_days(account, days)
trans_k_symbol(tran, symbol)
trans_operation(tran, operation)
trans_balance(tran, amount)
trans_amount(tran, amount)
trans_days(tran, days)
trans_latest_account_id(tran, latest)
loan_amount(loan, amount)
loan_payments(loan, payments)
loan_duration(loan, duration)
target loan_target(loan)
//= type loan: loan, loans
//= type account: account, accounts
//= type tran: transaction, transactions
//= type district: district, districts
//= loan_target: went bad | did not go bad
//= loan_account_id: its account; one
//= account_district_id: its district; one
//= trans_account_id: on {account} | {account} has {tran}
//= account_frequency "weekly issuance": gets weekly statements
//= trans_k_symbol "sanction interest": is charged overdraft interest
//= trans_operation "remittance to another bank": sends money to another bank
//= district_region Prague: is in Prague
//= loan_amount: amount [CZK]
//= loan_payments: monthly payment [CZK]
//= loan_duration: duration [months]
//= trans_balance: balance [CZK]; level
//= trans_amount: amount [CZK]
//= trans_days: days; age
`

// Formulas read as a person would say them.
func TestSpeaker_Tell(t *testing.T) {
	t.Parallel()
	const account, row = "loan_account_id(l, a) ^ ", "loan_account_id(l, a) ^ trans_account_id(t, a) ^ "
	for _, tt := range []struct{ formula, group string }{
		{
			"once: " + row + `trans_k_symbol(t, "sanction interest") ^ loan_target(l)`,
			"loans whose account has at least one transaction that is charged overdraft interest",
		},
		{
			"min{b, t: " + row + "trans_balance(t, b) ^ trans_days(t, d) ^ d <= 365} >= 5500 ^ loan_target(l)",
			"loans whose account's lowest balance in the last 365 days was 5500 CZK or more",
		},
		{
			"sum{b, t: " + row + "trans_balance(t, b) ^ trans_days(t, d) ^ d <= 30} >= 85000 ^ loan_target(l)",
			"loans whose account's total balance in the last 30 days was 85,000 CZK or more",
		},
		{"once: loan_amount(l, n) ^ n <= 317460 ^ loan_target(l)", "loans whose amount is 317,460 CZK or less"},
		{"once: loan_payments(l, p) ^ p >= 7290 ^ loan_target(l)", "loans whose monthly payment is 7290 CZK or more"},
		{
			"once: " + row + `trans_operation(t, "remittance to another bank") ^ loan_target(l)`,
			"loans whose account has at least one transaction that sends money to another bank",
		},
		{
			"log: " + account + `account_frequency(a, "issuance after transaction") ^ account_days(a, d) ^ d <= 164 ^ loan_target(l)`,
			"loans whose account's frequency is issuance after transaction and whose account's days is 164 or less",
		},
		{"once: " + account + `account_frequency(a, "weekly issuance") ^ loan_target(l)`, "loans whose account gets weekly statements"},
		{
			"once: loan_amount(l, n) ^ n >= 100000 ^ n <= 317460 ^ loan_target(l)",
			"loans whose amount is between 100,000 and 317,460 CZK",
		},
		{
			"#{t, a: " + row + `trans_operation(t, "remittance to another bank")} >= 12 ^ loan_target(l)`,
			"loans whose account has 12 or more transactions that send money to another bank",
		},
		{
			"#{t, a: " + row + `trans_k_symbol(t, "household")} < 1 ^ loan_target(l)`,
			"loans whose account has no transactions whose k symbol is household",
		},
		{
			"avg{b, t: " + row + "trans_balance(t, b) ^ trans_latest_account_id(t, k) ^ k <= 1} <= 20000 ^ loan_target(l)",
			"loans whose account's average balance on the latest day was 20,000 CZK or less",
		},
		{
			"!avg{b, t: " + row + "trans_balance(t, b) ^ trans_days(t, d) ^ d <= 90} >= 40000 ^ loan_target(l)",
			"loans whose account's average balance in the last 90 days was under 40,000 CZK, or there is none",
		},
		{
			"once: " + row + "trans_amount(t, n) ^ n >= 5 ^ loan_target(l)",
			"loans whose account has at least one transaction whose amount is 5 CZK or more",
		},
		{
			"once: loan_duration(l, n) ^ n <= 24 ^ loan_payments(l, p) ^ p >= 7290 ^ loan_target(l)",
			"loans whose duration is 24 months or less and whose monthly payment is 7290 CZK or more",
		},
		{"once: " + account + "account_district_id(a, r) ^ district_region(r, Prague) ^ loan_target(l)", "loans whose account's district is in Prague"},
		{
			"min{d, t: " + row + "trans_days(t, d)} <= 14 ^ loan_target(l)",
			"loans whose account's latest transaction was at most 14 days ago",
		},
		{
			"min{d, t: " + row + `trans_days(t, d) ^ trans_k_symbol(t, "household")} > 14 ^ loan_target(l)`,
			"loans whose account's latest transaction whose k symbol is household was more than 14 days ago",
		},
		{"last{b, d, t: " + row + "trans_balance(t, b) ^ trans_days(t, d)} <= 20000 ^ loan_target(l)", ""},
		{
			"share{t: trans_operation(t, \"remittance to another bank\") | " + row + "trans_days(t, d) ^ d <= 90} >= .25 ^ loan_target(l)",
			"loans whose account's share of transactions in the last 90 days that send money to another bank is 25% or more",
		},
		{
			"!min{d, t: " + row + "trans_days(t, d)} <= 14 ^ loan_target(l)",
			"loans whose account's latest transaction was more than 14 days ago, or never",
		},
		{"loan_amount(l, n) ^ loan_target(l)", "loans whose amount is known"},
		{"!loan_amount(l, n) ^ loan_target(l)", ""},
		{"!loan_account_id(l, a) ^ loan_target(l)", ""}, // of all accounts but its own
	} {
		m, err := resolwe.ParseModel("m.mln", []byte(bank+"1 "+tt.formula+"\n"), resolwe.ModelOptions{})
		check.OK(t, err)
		s := render.NewSpeaker(m.Schema)
		got := s.Tell(m.Formulas[0])
		check.Equal(t, tt.formula, got.Group, tt.group)
		if strings.ContainsAny(got.Group+got.Name, "_") {
			t.Errorf("%s: %s", got.Group, got.Name)
		}
	}
}
