// Package tableinit drafts a recipe and a task file for a folder of tables that nobody has described: it reads them as they are,
// finds out what their columns hold, which of them are keys and what refers to these, and says so in the recipe's comments. What
// it gets wrong is a line that a person corrects.
package tableinit
