module github.com/sluice-intake/sluice-go

go 1.22
