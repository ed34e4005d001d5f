package report_test

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/report"
)

// Text and charts have WCAG 2 contrast with the background in both colour schemes.
func TestStyle_Contrast(t *testing.T) {
	t.Parallel()
	schemes := regexp.MustCompile(`:root\{[^}]*\}`).FindAllString(report.PageStyle, -1)
	check.Equal(t, "schemes: light, dark, print", len(schemes), 3)
	for _, scheme := range schemes {
		luminance := map[string]float64{}
		for _, m := range regexp.MustCompile(`--(\w+):#([0-9a-f]+)`).FindAllStringSubmatch(scheme, -1) {
			hex := m[2]
			if len(hex) == 3 {
				hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
			}
			for i, share := range []float64{.2126, .7152, .0722} {
				v, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
				check.OK(t, err)
				c := float64(v) / 255
				if c <= .04045 {
					c /= 12.92
				} else {
					c = math.Pow((c+.055)/1.055, 2.4)
				}
				luminance[m[1]] += share * c
			}
		}
		check.Equal(t, "colours", len(luminance), 12)
		for _, ground := range []string{"paper", "tint"} {
			for _, ink := range []string{"ink", "soft", "link", "c0", "c1", "c2", "c3", "c4", "c5"} {
				a, b := luminance[ground]+.05, luminance[ink]+.05
				if contrast := max(a, b) / min(a, b); contrast < 4.5 {
					t.Errorf("%s on %s: contrast %.2f\n%s", ink, ground, contrast, scheme)
				}
			}
		}
	}
}
