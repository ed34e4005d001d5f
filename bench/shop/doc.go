// Package shop writes the tables of a small web shop as its systems would export them, with known causes of who buys again.
//
//	customers.csv    customer_id, joined_on, birth_year, city, newsletter
//	products.csv     product_id, name, category, price
//	orders.csv       order_id, customer_id, ordered_on, channel, discount_code
//	order_lines.csv  order_id, product_id, quantity, unit_price
//	returns.csv      return_id, order_id, customer_id, product_id, returned_on, reason
//	visits.csv       visit_id, customer_id, product_id, visited_at
//	mailings.csv     mailing_id, mailed_on, subject
//	responses.csv    mailing_id, customer_id, mailed_on
//
// Cells may be empty in birth_year, discount_code and reason, for the customer of an anonymous visit, and for the product of a
// visit without one. responses lists who bought before a mailing and again in the 30 days that begin with it. It is the target; the
// other tables cover these days too, but a prediction may use only what is before the mailing.
//
// The log-odds of an order in the 30 days after a mailing are a sum over three causes, with the weights that the report gives:
// whether the last order and the last visit are recent; how many of the customer's products were returned; and how many other
// customers recently bought a product that the customer has. Otherwise customers differ only by chance: city, newsletter, channel,
// discounts, age, quantities and prices have no effect.
package shop
