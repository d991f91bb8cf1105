#! /bin/sh
# Writes the fields' part of rngsim-result(5) from bench/result/result.tbl.
#
#	result-fields.sh TABLE		prints it
#	result-fields.sh TABLE PAGE	replaces it in the page
set -eu

begin='.\" Made by .ci/result-fields.sh'
end='.\" End of what .ci/result-fields.sh made'

fields()
{
	echo "$begin from bench/result/result.tbl."
	awk '
	function type(kind, many) {
		if (kind ~ /^(NAME|WORD|TEXT|HEX|SHA256)$/)
			return many ? "array of strings" : "string"
		if (kind ~ /^(COUNT|SOME|READERS|BYTES)$/)
			return many ? "array of integers" : "integer"
		if (kind == "SEED")
			return "integer, or string above 2^63 - 1"
		if (kind == "BOOL")
			return "boolean"
		if (kind == "WORDS")
			return "array of strings"
		if (kind == "PAIR")
			return "array of two numbers"
		return many ? "array of numbers" : "number"
	}
	# A sentence a line; marked words as macros of their own.
	function prose(text,    n, part, i, word, out, punct, macro) {
		gsub(/  +/, "\n", text)
		n = split(text, part, "`")
		out = ""
		for (i = 1; i <= n; i++) {
			if (i % 2 == 1) {
				gsub(/\n/, "\n", part[i])
				out = out part[i]
				continue
			}
			word = part[i]
			punct = ""
			if (match(part[i + 1], /^[.,;:)]+/)) {
				punct = substr(part[i + 1], 1, RLENGTH)
				part[i + 1] = substr(part[i + 1], RLENGTH + 1)
				gsub(/./, " &", punct)
			}
			if (out ~ /\($/) {
				sub(/ ?\($/, "", out)
				punct = " Pc" punct
				macro = "Po "
			} else
				macro = ""
			if (word ~ /^-/)
				macro = macro "Fl " substr(word, 2)
			else if (word in key)
				macro = macro "Cm " word
			else
				macro = macro "Ql " (word ~ / / ? \
				    "\"" word "\"" : word)
			sub(/ $/, "", out)
			out = out (out == "" || out ~ /\n$/ ? "" : "\n") "." \
			    macro punct "\n"
			sub(/^ /, "", part[i + 1])
		}
		sub(/\n$/, "", out)
		return fill(out)
	}
	# Lines of at most 80 columns.
	function fill(text,    n, line, i, out, cut) {
		n = split(text, line, "\n")
		out = ""
		for (i = 1; i <= n; i++) {
			while (length(line[i]) > 80 && line[i] !~ /^\./) {
				cut = 80
				while (substr(line[i], cut, 1) != " ")
					cut--
				out = out substr(line[i], 1, cut - 1) "\n"
				line[i] = substr(line[i], cut + 1)
			}
			if (line[i] != "")
				out = out line[i] "\n"
		}
		return out
	}
	function row(text,    n, p, i, macro, s, arg, doc) {
		macro = text
		sub(/\(.*/, "", macro)
		doc = text
		if (!sub(/^[^"]*"/, "", doc))
			doc = ""
		sub(/"(\)|,[^"]*)$/, "", doc)
		gsub(/"[ \t]+"/, "", doc)
		arg = text
		sub(/^[A-Z]+\(/, "", arg)
		sub(/[ \t]*".*/, "", arg)
		gsub(/WHEN\([^)]*\)/, "WHEN", arg)
		csv = match(arg, /CSV\([0-9]+/) ? \
		    substr(arg, RSTART + 4, RLENGTH - 4) + 0 : 0
		n = split(arg, p, /,[ \t]*/)
		s = p[1]
		if (macro == "BEGIN") {
			order[++count] = s
			title[s] = doc
			sub(/", .*/, "", title[s])
			sub(/^[^"]*", *"?/, "", doc)
			intro[s] = doc
			return
		}
		if (macro == "COLUMN") {
			column[p[2] + 0] = s
			meaning[p[2] + 0] = doc
			return
		}
		if (macro == "END" || macro == "LENGTH")
			return
		key[p[2]] = 1
		fields[s] = fields[s] " " ++rows
		name[rows] = p[2]
		what[rows] = macro == "OBJECT" ? "object" : macro ~ /LIST|ROWS/ ? \
		    "array of objects" : type(p[3], macro != "FIELD")
		object[rows] = macro == "OBJECT" ? p[3] : ""
		optional[rows] = arg ~ /OPTIONAL|WHEN/ || macro == "DRAWS" ? \
		    ", optional" : ""
		at[rows] = csv
		pair[rows] = p[3] == "PAIR"
		said[rows] = doc
	}
	function place(n, name) {
		if (n in column)
			exit 1
		column[n] = name
	}
	# The columns of a structure, as bench/report/report.c finds them.
	function columns(s, first, prefix,    n, list, i, f, unit) {
		unit = prefix ~ /_ns$/ ? "_ns" : ""
		sub(/_ns$/, "", prefix)
		n = split(fields[s], list, " ")
		for (i = 1; i <= n; i++) {
			f = list[i]
			if (object[f] != "") {
				if (s == "cell")
					columns(object[f], at[f], name[f])
			} else if (at[f] > 0) {
				c = (prefix == "" ? "" : prefix "_") name[f] unit
				place(first + at[f], c (pair[f] ? "_low" : ""))
				if (pair[f])
					place(first + at[f] + 1, c "_high")
			}
		}
	}
	/^[A-Z]+\(/ { text = ""; open = 1 }
	open { text = text $0 " " }
	open && /\)$/ {
		bare = text
		gsub(/"[^"]*"/, "", bare)
		if (gsub(/\(/, "(", bare) == gsub(/\)/, ")", bare)) {
			sub(/ $/, "", text)
			held[++kept] = text
			open = 0
		}
	}
	END {
		for (i = 1; i <= kept; i++)
			row(held[i])
		for (i = count; i >= 1; i--) {
			s = order[i]
			print (s == "document" ? ".Sh " : ".Ss ") \
			    (s == "document" ? "THE DOCUMENT" : title[s])
			printf "%s", prose(intro[s])
			print ".Bl -tag -width Ds"
			n = split(fields[s], list, " ")
			for (k = 1; k <= n; k++) {
				f = list[k]
				print ".It Cm " name[f] " Pq " what[f] optional[f]
				printf "%s", prose(said[f])
			}
			print ".El"
		}
		columns("cell", 0, "")
		columns("host", 0, "")
		columns("document", 0, "")
		print ".Ss Columns of CSV"
		print "One line of names, then one line for each cell; RFC 4180 \
with newlines alone."
		print "Booleans are 0 and 1."
		print "Columns may be added after the last."
		print "A column has the key of its object, that of its field, and \
the unit last."
		print "Columns of predictions are empty where a cell was \
measured."
		print "Those from production_events_per_s on are there if a \
cell has producers, those from"
		print "time_to_seeded_ns on if it is of"
		print ".Fl -until-seeded ."
		print ".Bl -enum -compact"
		for (i = 1; i in column; i++) {
			print ".It"
			print ".Li " column[i] (i in meaning ? " :" : "")
			if (i in meaning)
				printf "%s", prose(meaning[i])
		}
		print ".El"
	}' "$1" "${1%result.tbl}column.tbl"
	echo "$end."
}

if [ $# -lt 2 ]; then
	fields "$1"
	exit
fi
new=$(mktemp)
trap 'rm -f "$new"' EXIT
fields "$1" >"$new.fields"
begin=$begin end=$end awk -v fields="$new.fields" '
	BEGIN { begin = ENVIRON["begin"]; end = ENVIRON["end"] }
	index($0, begin) == 1 {
		while ((getline line <fields) > 0)
			print line
		skip = 1
	}
	!skip { print }
	index($0, end) == 1 { skip = 0 }' "$2" >"$new"
cat "$new" >"$2"
rm -f "$new.fields"
